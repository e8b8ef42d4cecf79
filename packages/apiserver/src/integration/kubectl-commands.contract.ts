// Commands, in order, and the files they name. `_` stands for a space inside a word.

const deployment = (more: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx:1
${more}`;

export const manifests: Readonly<Record<string, string>> = {
  "deployment.yaml": deployment(""),
  "deployment-2.yaml": deployment("        ports:\n        - containerPort: 80\n"),
  "bad-deployment.yaml": deployment("")
    .replace("matchLabels: {app: web}", "matchLabels: {app: other}")
    .replace("name: web\n  labels", "name: bad\n  labels"),
  "unknown-field.yaml": deployment("        colour: red\n").replace("name: web\n  labels", "name: unknown\n  labels"),
  "pod.yaml": `apiVersion: v1
kind: Pod
metadata: {name: one, labels: {run: one}}
spec:
  nodeName: n1
  containers:
  - {name: c, image: busybox}
`,
  "node.yaml": `apiVersion: v1
kind: Node
metadata: {name: n1}
`,
  "config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: red}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {word: secret}
`,
  "service.yaml": `apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 80, targetPort: 8080}
`,
  "job.yaml": `apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: c, image: busybox}
`,
};

export const kubectlCommands: readonly string[] = [
  "get namespaces",
  "get nodes",
  "get all",
  "get pods -A",
  "api-versions",
  "api-resources -o name",
  "explain pod.spec.containers.image",
  "create configmap letters --from-literal=a=1 --from-literal=b=2",
  "create configmap letters --from-literal=a=1",
  "get configmap letters -o yaml",
  "get configmap letters -o jsonpath={.data.a}",
  "get configmap nothing",
  "get nonsense",
  "describe configmap letters",
  "label configmap letters tier=front",
  "label configmap letters tier=back",
  "label configmap letters tier=back --overwrite",
  "label configmap letters bad_label=x",
  "annotate configmap letters note=hello",
  "get configmaps -l tier=back",
  "get configmaps -l tier_in_(a,b)",
  'patch configmap letters -p {"data":{"c":"3"}}',
  'patch configmap letters --type json -p [{"op":"remove","path":"/data/zzz"}]',
  "delete configmap letters",
  "delete configmap letters",
  "apply -f config.yaml",
  "apply -f config.yaml",
  "get secret password -o yaml",
  "create secret generic token --from-literal=t=1",
  "get secrets",
  "delete -f config.yaml",
  "create -f deployment.yaml",
  "get deployment web",
  "get deployment web -o wide",
  "get deployment web -o yaml",
  "describe deployment web",
  "apply -f deployment-2.yaml",
  "diff -f deployment-2.yaml",
  "scale deployment web --replicas=5",
  "scale deployment web --replicas=-1",
  "set image deployment/web web=nginx:2",
  "set image deployment/web nope=nginx:2",
  "rollout history deployment/web",
  "rollout restart deployment/nothing",
  "autoscale deployment web --min=1 --max=3 --cpu-percent=50",
  "get hpa",
  "apply -f bad-deployment.yaml",
  "apply -f unknown-field.yaml",
  "apply -f unknown-field.yaml --validate=false",
  "create deployment made --image=nginx --replicas=3",
  "expose deployment made --port=80 --target-port=8080",
  "get service made",
  "apply -f service.yaml",
  "get services",
  "describe service web",
  "create service nodeport np --tcp=80:80",
  "get service np",
  "delete service np",
  "apply -f node.yaml",
  "get nodes",
  "cordon n1",
  "get node n1",
  "uncordon n1",
  "taint nodes n1 a=b:NoSchedule",
  "describe node n1",
  "apply -f pod.yaml",
  "get pods",
  "get pods -o wide",
  "get pods --field-selector spec.nodeName=n1",
  "get pods --field-selector spec.nope=n1",
  "get pod one -o yaml",
  "describe pod one",
  "delete pod one --now --wait=false",
  "get pods",
  "delete pod one --force --grace-period=0",
  "apply -f job.yaml",
  "get jobs",
  "get job once -o yaml",
  "create job another --image=busybox -- echo hi",
  "create cronjob tick --image=busybox --schedule=*/5_*_*_*_*",
  "create cronjob bad --image=busybox --schedule=nonsense",
  "get cronjobs",
  "delete job once another --cascade=orphan --wait=false",
  "create namespace shop",
  "get namespace shop -o yaml",
  "describe namespace shop",
  "create serviceaccount robot -n shop",
  "get serviceaccounts -n shop",
  "create role reader --verb=get --resource=pods -n shop",
  "create rolebinding readers --role=reader --serviceaccount=shop:robot -n shop",
  "get roles,rolebindings -n shop",
  "create clusterrole all --verb=* --resource=*",
  "create quota q --hard=pods=3 -n shop",
  "get quota -n shop",
  "create priorityclass high --value=100",
  "get priorityclass high",
  "create poddisruptionbudget pdb --selector=app=web --min-available=1",
  "get pdb",
  "create ingress front --rule=a.io/*=web:80",
  "get ingress",
  "delete namespace kube-system",
  "delete namespace shop --wait=false",
  "create configmap late -n shop",
  "wait --for=delete configmap/nothing --timeout=1s",
  "wait --for=condition=Available deployment/nothing --timeout=1s",
  "wait --for=jsonpath={.spec.replicas}=3 deployment/made --timeout=5s",
  "auth can-i create pods",
  "auth whoami -o jsonpath={.kind}",
  "get --raw /healthz",
  "get --raw /nonsense",
  "delete deployment web made",
  "delete all --all -l app=web",
  "get deployments",
];
