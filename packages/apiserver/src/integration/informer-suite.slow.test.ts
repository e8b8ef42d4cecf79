// The part of the informer suite that takes minutes, against this server, by plain calls and over HTTP/2.
import { defineLongEmbeddedInformerSuites } from "@kubeloop/informer-suite";
import { ApiServer } from "../api-server.ts";

defineLongEmbeddedInformerSuites(() => ApiServer.open());
