import type { Server } from '@grpc/grpc-js';
import { type Clock, unlessAborted } from '@lateen/kernel';

/** How a server ends; safe to repeat: takes no more calls, waits up to `graceMs` for the running ones, drops their connections. */
export function stopper(server: Server, clock: Clock): (graceMs: number) => Promise<void> {
  let stopped: Promise<void> | undefined;
  return (graceMs) => {
    stopped ??= shutDown(server, graceMs, clock);
    return stopped;
  };
}

async function shutDown(server: Server, graceMs: number, clock: Clock): Promise<void> {
  const calm = new Promise<void>((resolve, reject) =>
    server.tryShutdown((error) => (error === undefined ? resolve() : reject(error))),
  );
  const late = clock.deadline(graceMs);
  await unlessAborted(calm, late);
  if (late.aborted) server.forceShutdown();
}
