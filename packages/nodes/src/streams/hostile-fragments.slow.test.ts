import "@kubeloop/counted-work";
import { expectLinearWork } from "@kubeloop/counted-work";
import { test } from "vitest";
import { WebSocket } from "./websocket.ts";
import { clientFrame } from "./websocket-client.fixture.ts";

const { signal } = new AbortController();

test("a message of ever more empty fragments costs no more than its share", () =>
  expectLinearWork(500, async (count) => {
    const socket = new WebSocket();
    const empty = clientFrame(0, new Uint8Array(), false);
    for (let i = 0; i < count; i++) await socket.connection.send(empty, signal);
  }));
