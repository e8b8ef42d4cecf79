// The one plugin that a real server leaves out where foreign programs (kubectl, client-go, controller-runtime) are compared on it and on this one.
//
// ServiceAccount refuses every pod in a namespace without the account "default". A controller makes that account, and none runs beside either server in
// these suites; the programs make namespaces of their own as they go, so nobody else can make it in time. That is also why it is off here
// until asked for. The differential suite, which makes the accounts itself, compares the two servers with ServiceAccount on, and leaves nothing out.
export const withoutAdmission = {
  "kube-apiserver": ["--disable-admission-plugins=ServiceAccount"],
};
