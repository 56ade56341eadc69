import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiAccess, apiRequest } from '../api-server/api-request.ts';
import { findInit } from '../machine/find-init.ts';
import { isAlive, readRecords } from '../machine/process-record.ts';
import { apiServerUrl, type ClusterInfo, clusterInfo } from './cluster-info.ts';
import { type ClusterLayout, clusterLayout, controlPlaneName, type MachineLayout } from './cluster-layout.ts';
import { readState } from './cluster-state.ts';
import { defaultClusterDir } from './default-dir.ts';
import { nodeIsReady } from './node-ready.ts';

/** `absent`: there is none in this folder. `degraded`: something that should run does not; `up` repairs it. */
export type ClusterPhase = 'absent' | 'running' | 'degraded';

export interface ClusterStatus {
  phase: ClusterPhase;
  dir: string;
  apiServerReady: boolean;
  machines: MachineStatus[];
  /** Absent when there is no cluster. */
  info?: ClusterInfo;
}

export interface MachineStatus {
  name: string;
  running: boolean;
  /** For nodes: their state in the API server. */
  ready?: boolean;
  programs: { name: string; running: boolean; pid: number }[];
}

/** Programs that run on every control plane and on every node. */
export const expectedPrograms = {
  controlPlane: [
    'etcd',
    'kube-apiserver',
    'kube-controller-manager',
    'kube-scheduler',
    'snapshot-controller',
    'versitygw',
  ],
  node: ['containerd', 'kube-proxy', 'kubelet'],
} as const;

/** Reads the state of a cluster without changing it. Needs root only to read the cluster's files. */
export async function clusterStatus(options: { dir?: string } = {}): Promise<ClusterStatus> {
  const layout = clusterLayout(options.dir ?? defaultClusterDir);
  const state = await readState(layout);
  if (state === undefined) return { phase: 'absent', dir: layout.dir, apiServerReady: false, machines: [] };
  const access = await adminAccess(layout, apiServerUrl(state));
  const apiServerReady = access !== undefined && (await answersReady(access));
  const nodes = Array.from({ length: state.nodes }, (_, at) => layout.node(at + 1));
  const machines = await Promise.all([
    machineStatus(layout.controlPlane),
    ...nodes.map(async (node) => ({
      ...(await machineStatus(node)),
      ready: apiServerReady && (await nodeIsReady(access, node.name).catch(() => false)),
    })),
  ]);
  const phase = apiServerReady && machines.every(isWhole) ? 'running' : 'degraded';
  return { phase, dir: layout.dir, apiServerReady, machines, info: clusterInfo(layout, state) };
}

function isWhole(machine: MachineStatus): boolean {
  const programs = machine.programs.every(({ running }) => running);
  return machine.running && programs && machine.ready !== false;
}

async function machineStatus(layout: MachineLayout): Promise<MachineStatus> {
  const expected = layout.name === controlPlaneName ? expectedPrograms.controlPlane : expectedPrograms.node;
  const [init, records] = await Promise.all([findInit(layout), readRecords(layout.recordDir)]);
  const programs = await Promise.all(
    expected.map(async (name) => {
      const record = records.find((candidate) => candidate.name === name);
      return { name, running: record !== undefined && (await isAlive(record)), pid: record?.pid ?? 0 };
    }),
  );
  return { name: layout.name, running: init !== undefined, programs };
}

async function adminAccess(layout: ClusterLayout, url: string): Promise<ApiAccess | undefined> {
  const read = (file: string): Promise<string> => readFile(join(layout.pkiDir, file), 'utf8');
  try {
    const [authority, certificate, key] = await Promise.all([read('ca.crt'), read('admin.crt'), read('admin.key')]);
    return { url, authority, client: { certificate, key } };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function answersReady(access: ApiAccess): Promise<boolean> {
  return apiRequest(access, 'GET', '/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );
}
