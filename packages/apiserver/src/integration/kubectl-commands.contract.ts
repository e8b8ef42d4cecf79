// Commands, in order, and the files they name. `_` stands for a space inside a word, `{uid:kind/name}` for an object's uid.
import { requestPem } from "./certificate-request.contract.ts";

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

const replicaSet = (revision: number) => `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-${revision}
  labels: {app: web, pod-template-hash: h${revision}}
  annotations: {deployment.kubernetes.io/revision: "${revision}", kubernetes.io/change-cause: change ${revision}}
spec:
  replicas: 0
  selector: {matchLabels: {app: web, pod-template-hash: h${revision}}}
  template:
    metadata: {labels: {app: web, pod-template-hash: h${revision}}}
    spec:
      containers:
      - {name: web, image: "nginx:0.${revision}"}
`;

const ownedByWeb =
  '{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"{uid:deployment/web}","controller":true}]}}';
const rolledOut =
  '{"status":{"observedGeneration":99,"replicas":5,"updatedReplicas":5,"readyReplicas":5,"availableReplicas":5}}';

const listed = (name: string) => `- apiVersion: v1
  kind: ConfigMap
  metadata: {name: ${name}}
  data: {a: b}
`;

export const manifests: Readonly<Record<string, string>> = {
  "unknown-kind.yaml": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {}\n",
  "old-version.yaml": deployment("").replace("apps/v1", "apps/v1beta1"),
  "list.yaml": `apiVersion: v1\nkind: List\nitems:\n${listed("listed-1")}${listed("listed-2")}`,
  "mixed-list.yaml": `apiVersion: v1\nkind: List\nitems:\n${listed("listed-3")}- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: w}
`,
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
  "replica-sets.yaml": `${replicaSet(1)}---\n${replicaSet(2)}`,
  "stateful.yaml": `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
      - {name: db, image: postgres}
  volumeClaimTemplates:
  - metadata: {name: disk}
    spec:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 1Gi}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
      - {name: agent, image: agent}
`,
  "storage.yaml": `apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: slow
  hostPath: {path: /tmp}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: slow
  resources: {requests: {storage: 1Gi}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: slow}
provisioner: example.com/slow
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec:
  podSelector: {}
  ingress:
  - from:
    - namespaceSelector: {matchLabels: {a: b}}
    ports: [{port: 80}]
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec:
  limits:
  - {type: Container, max: {cpu: "2"}, default: {cpu: "1"}}
`,
  "csr.yaml": `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: jane}
spec:
  signerName: example.com/signer
  usages: [client auth]
  request: ${Buffer.from(requestPem).toString("base64")}
`,
  "lost-pod.yaml": `apiVersion: v1
kind: Pod
metadata: {name: lost}
spec:
  nodeName: nowhere
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
  "explain deployment --recursive",
  "explain pods.spec --api-version=v1",
  "explain nonsense",
  "explain pod.nonsense",
  "api-resources",
  "api-resources -o wide --namespaced=false",
  "api-resources --api-group=apps --sort-by=name",
  "create configmap letters --from-literal=a=1 --from-literal=b=2",
  "create configmap letters --from-literal=a=1",
  "get configmap letters -o yaml",
  "get configmap letters -o jsonpath={.data.a}",
  "get configmap letters -o json",
  "get configmap letters -o name",
  "get configmap letters -o go-template={{.data.b}}",
  "get configmaps -A -o custom-columns=NAME:.metadata.name,A:.data.a",
  "get configmaps --show-labels",
  "get configmaps -L tier",
  "get configmaps -A --chunk-size=1",
  "get configmaps -A --sort-by=.metadata.name",
  "get configmaps -w --request-timeout=1s",
  "get configmap letters --watch-only --request-timeout=1s",
  "get pods -w --request-timeout=1s",
  "get configmap nothing",
  "get nonsense",
  // Of one word only: kubectl 1.29 describes them in the order of chance.
  "create configmap alone --from-literal=word=1",
  "describe configmap alone",
  "delete configmap alone",
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
  "edit configmap settings",
  "get configmap settings -o jsonpath={.data}",
  "replace -f config.yaml",
  "replace --force -f config.yaml",
  "create -f config.yaml --dry-run=server -o yaml",
  "apply -f config.yaml --dry-run=server",
  "apply view-last-applied configmap settings",
  "describe secret password",
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
  "create -f replica-sets.yaml",
  `patch replicaset web-1 -p ${ownedByWeb}`,
  `patch replicaset web-2 -p ${ownedByWeb}`,
  "rollout history deployment/web",
  "rollout history deployment/web --revision=1",
  "rollout history deployment/web --revision=9",
  "rollout undo deployment/web --to-revision=1",
  "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}",
  "rollout undo deployment/web --to-revision=9",
  "rollout restart deployment/web",
  "rollout pause deployment/web",
  "rollout pause deployment/web",
  "rollout resume deployment/web",
  "rollout status deployment/web --timeout=1s",
  "rollout status deployment/web --watch=false",
  `patch deployment web --subresource=status --type=merge -p ${rolledOut}`,
  "rollout status deployment/web",
  "get deployment web --subresource=scale",
  "get deployment web --subresource=status",
  "describe replicaset web-1",
  "set env deployment/web A=b",
  "set env deployment/web --list",
  "set resources deployment/web --limits=cpu=1,memory=1Gi",
  "set resources deployment/web --limits=cpu=nonsense",
  "set serviceaccount deployment web robot",
  "set selector service nothing a=b",
  "rollout restart deployment/nothing",
  "autoscale deployment web --min=1 --max=3 --cpu-percent=50",
  "get hpa",
  "apply -f bad-deployment.yaml",
  "apply -f unknown-field.yaml",
  "apply -f unknown-kind.yaml",
  "create -f unknown-kind.yaml",
  "replace -f unknown-kind.yaml",
  "apply -f old-version.yaml",
  "apply -f list.yaml",
  "apply -f list.yaml",
  "create -f list.yaml",
  "apply -f mixed-list.yaml",
  "get configmap listed-1 listed-2 listed-3",
  "delete -f list.yaml",
  "apply -f unknown-field.yaml --validate=false",
  "create deployment made --image=nginx --replicas=3",
  "expose deployment made --port=80 --target-port=8080",
  "get service made",
  "apply -f service.yaml",
  "get services",
  "describe service web",
  "create service nodeport np --tcp=80:80",
  "create service clusterip cip --tcp=80",
  "create service externalname ext --external-name=a.io",
  "create service loadbalancer lb --tcp=80",
  "describe service np",
  "get endpoints",
  "get endpointslices",
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
  "logs one",
  "create -f lost-pod.yaml",
  "logs lost",
  "exec lost -- ls",
  "exec one -- ls",
  "exec nothing -- ls",
  "attach one",
  'patch node n1 --subresource=status -p {"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":1}}}}',
  "get nodes -o wide",
  "logs one",
  "logs nothing",
  "logs one -c nothing",
  "logs deployment/nothing",
  "port-forward one 8080",
  "top pods",
  "expose pod one --port=80",
  "run two --image=busybox",
  "run two --image=busybox",
  "delete pod two --wait=false",
  "drain n1",
  "drain n1 --force --timeout=1s",
  "uncordon n1",
  "delete pod one --grace-period=0 --force --wait=false",
  "create -f pod.yaml",
  "create poddisruptionbudget one --selector=run=one --min-available=1",
  "drain n1 --force --timeout=1s",
  "delete pdb one",
  "drain n1 --force --disable-eviction --grace-period=0 --timeout=10s",
  "get pods",
  "drain nothing",
  "uncordon n1",
  "create -f pod.yaml",
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
  "describe job once",
  "describe cronjob tick",
  "create job from-tick --from=cronjob/tick",
  "apply -f stateful.yaml",
  "get statefulsets,daemonsets -o wide",
  "describe statefulset db",
  "describe daemonset agent",
  "rollout status statefulset/db --timeout=1s",
  "rollout history statefulset/db",
  "rollout status daemonset/agent --watch=false",
  "scale statefulset db --replicas=3 --current-replicas=7",
  "scale statefulset db --replicas=3",
  "delete -f stateful.yaml --cascade=foreground --wait=false",
  "get statefulset db -o jsonpath={.metadata.finalizers}",
  "delete statefulset db --cascade=nonsense",
  "delete daemonset agent --cascade=background --wait=false",
  "apply -f storage.yaml",
  "get pv,pvc,sc,netpol,limits",
  "describe pv disk",
  "describe pvc claim",
  "describe storageclass slow",
  "describe networkpolicy closed",
  "describe limitrange limits",
  "delete -f storage.yaml --wait=false",
  "create -f csr.yaml",
  "get csr",
  "describe csr jane",
  "certificate approve jane",
  "certificate deny jane",
  "get csr jane -o jsonpath={.status.conditions[*].type}",
  "delete csr jane",
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
  "describe quota q -n shop",
  "describe role reader -n shop",
  "describe rolebinding readers -n shop",
  "describe serviceaccount robot -n shop",
  "get all -n shop",
  "get events -n shop",
  "get quota -n shop",
  "create priorityclass high --value=100",
  "get priorityclass high",
  "create poddisruptionbudget pdb --selector=app=web --min-available=1",
  "get pdb",
  "create ingress front --rule=a.io/*=web:80",
  "get ingress",
  "describe ingress front",
  "describe pdb pdb",
  "describe hpa web",
  "describe priorityclass high",
  "describe clusterrole all",
  "get all -A -o name",
  "cluster-info",
  "get componentstatuses -o name --sort-by=.metadata.name",
  "annotate deployment web note-",
  "label deployment web app-",
  "label deployments --all x=y",
  "describe nonsense",
  "get deployment web nothing",
  "get deployment/web service/web",
  "apply -f missing.yaml",
  "delete -f missing.yaml",
  "delete namespace kube-system",
  "delete namespace shop --wait=false",
  "create configmap late -n shop",
  "wait --for=delete configmap/nothing --timeout=1s",
  "wait --for=condition=Available deployment/nothing --timeout=1s",
  "wait --for=jsonpath={.spec.replicas}=3 deployment/made --timeout=5s",
  "auth can-i create pods",
  "auth whoami -o jsonpath={.kind}",
  "get --raw /healthz",
  "get --raw /api",
  "get --raw /apis/apps/v1/namespaces/default/deployments/nothing",
  "delete --raw /api/v1/namespaces/default/configmaps/nothing",
  "get --raw /nonsense",
  "delete deployment web made",
  "delete all --all -l app=web",
  "get deployments",
];
