// The client suite that a real kube-apiserver passes, against this server: by plain calls and over both versions of HTTP.
import { defineEmbeddedClientSuites } from "@kubeloop/client-suite";
import { ApiServer } from "../api-server.ts";

defineEmbeddedClientSuites(() => ApiServer.open());
