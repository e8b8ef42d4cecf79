// The informer suite that a real kube-apiserver passes, against this server: by plain calls and over HTTP/2.
import { defineEmbeddedInformerSuites } from "@kubeloop/informer-suite";
import { ApiServer } from "../api-server.ts";

defineEmbeddedInformerSuites(() => ApiServer.open());
