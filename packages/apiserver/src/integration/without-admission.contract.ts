// What a real server must leave out to be compared with one that has no admission yet: plugins that change or refuse what clients
// send. Each that this server learns is taken from the list.
const plugins = [
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "LimitRanger",
  "PersistentVolumeClaimResize",
  "PodSecurity",
  "PodTopologyLabels",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
];

export const withoutAdmission = {
  "kube-apiserver": [`--disable-admission-plugins=${plugins.join(",")}`],
};
