import { mkdir } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type ApiAccess, apiRequest } from '../api-server/api-request.ts';
import {
  apiServerProgram,
  controllerManagerProgram,
  etcdProgram,
  s3Program,
  schedulerProgram,
} from '../control-plane/control-plane-programs.ts';
import { lastLogLines } from '../host/child-server.ts';
import { waitUntil } from '../host/wait-until.ts';
import { type Machine, startMachine } from '../machine/start-machine.ts';
import { type RunningProgram, startProgram } from '../machine/start-program.ts';
import { ensureHostLink } from '../network/host-link.ts';
import { ensureBridge } from '../network/node-links.ts';
import type { ClusterLayout } from './cluster-layout.ts';
import type { ClusterState } from './cluster-state.ts';

export interface Context {
  layout: ClusterLayout;
  state: ClusterState;
  clock: Clock;
  signal?: AbortSignal | undefined;
}

const readyTimeoutMs = 120_000;

/** The control plane's machine with its network. */
export async function startControlPlaneMachine({ layout, state, clock, signal }: Context): Promise<Machine> {
  for (const dir of [layout.pkiDir, layout.s3Dir]) await mkdir(dir, { recursive: true });
  const machine = await startMachine({
    layout: layout.controlPlane,
    binds: [
      { from: layout.binDir, to: '/run/lateen/bin' },
      { from: layout.pkiDir, to: '/run/lateen/pki' },
      { from: layout.s3Dir, to: '/run/lateen/s3' },
    ],
    clock,
    signal,
  });
  await ensureHostLink(layout.id, layout.controlPlane.uniqueName, state.link);
  await ensureBridge(layout.controlPlane.uniqueName);
  return machine;
}

/** Starts etcd, kube-apiserver and the S3 server; resolves when the API server is ready. */
export async function startServers(
  machine: Machine,
  { state, clock, signal }: Context,
  access: ApiAccess,
  servingCertificate: string,
): Promise<void> {
  const programs = [etcdProgram, apiServerProgram(servingCertificate), s3Program(state.s3)];
  const running = await Promise.all(programs.map((program) => startProgram(machine, program, clock)));
  const ask = async () => (await apiRequest(access, 'GET', '/readyz', { signal })).status === 200;
  const what = `the API server at ${access.url} is ready`;
  try {
    await waitUntil(ask, { what, timeoutMs: readyTimeoutMs, clock, signal, hopeless: () => firstEnd(running) });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new AppError('API_SERVER_NOT_READY', `the API server did not become ready:\n${await lastWords(running)}`, {
      cause,
      nextStep: `The logs are in ${machine.layout.logDir}.`,
    });
  }
}

/** Starts controller manager and scheduler. They need the API server; no caller waits for them. */
export async function startControllers(machine: Machine, clock: Clock): Promise<void> {
  await Promise.all(
    [controllerManagerProgram, schedulerProgram].map((program) => startProgram(machine, program, clock)),
  );
}

export function firstEnd(running: readonly RunningProgram[]): Error | undefined {
  return running.map((program) => program.ended()).find((end) => end !== undefined);
}

/** The last log lines of the programs that have ended, or of all when none has ended. */
export async function lastWords(running: readonly RunningProgram[]): Promise<string> {
  const ended = running.filter((program) => program.ended() !== undefined);
  const told = await Promise.all(
    (ended.length > 0 ? ended : running).map(async ({ logFile }) => `${logFile}:\n${await lastLogLines(logFile)}`),
  );
  return told.join('\n');
}
