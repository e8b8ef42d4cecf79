// What a real server must leave out to be compared with this one: plugins that change or refuse what clients send and are not written here yet
// (or, as ServiceAccount, are off here until asked for). Each that this server learns is taken from the list.
const plugins = ["ServiceAccount"];

export const withoutAdmission = {
  "kube-apiserver": [`--disable-admission-plugins=${plugins.join(",")}`],
};
