import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAppError } from '@lateen/errors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterInfo } from './cluster-info.ts';
import { clusterLayout } from './cluster-layout.ts';
import { type ClusterState, decideState, readState } from './cluster-state.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const layout = () => clusterLayout(join(folder, 'c'));
const state = (nodes: number): ClusterState => ({
  version: 1,
  id: layout().id,
  nodes,
  link: { hostAddress: '198.18.0.1', clusterAddress: '198.18.0.2', prefixLength: 30 },
  s3: { accessKey: 'ACCESS', secretKey: 'hidden' },
});

async function write(text: string): Promise<void> {
  await mkdir(layout().dir, { recursive: true });
  await writeFile(layout().stateFile, text);
}

it('keeps earlier decisions, adds nodes, and writes the keys only for their owner', async () => {
  await write(JSON.stringify(state(1)));
  expect(await decideState(layout(), undefined)).toEqual(state(1));
  expect(await decideState(layout(), 3)).toEqual(state(3));
  expect(JSON.parse(await readFile(layout().stateFile, 'utf8'))).toEqual(state(3));
  expect((await stat(layout().stateFile)).mode & 0o777).toBe(0o600);
});

it.each([
  { nodes: 1, code: 'NODES_FEWER' },
  { nodes: 0, code: 'NODES_INVALID' },
  { nodes: 1.5, code: 'NODES_INVALID' },
  { nodes: 101, code: 'NODES_INVALID' },
])('rejects $nodes nodes for a cluster of two: $code', async ({ nodes, code }) => {
  await write(JSON.stringify(state(2)));
  await expect(decideState(layout(), nodes)).rejects.toSatisfy((error) => isAppError(error, code));
});

it.each(['', '{"version":1', '{"version":2,"id":"x"}', '{"version":1,"id":"ffffffff"}'])(
  'rejects %j as its state',
  async (text) => {
    await write(text);
    await expect(readState(layout())).rejects.toSatisfy((error) => isAppError(error, 'CLUSTER_STATE_UNREADABLE'));
  },
);

it('returns nothing for a folder without a cluster', async () => expect(await readState(layout())).toBeUndefined());

it('is the same cluster for the same folder, and another for another folder', () => {
  expect(clusterLayout('/a/b/../c').id).toBe(clusterLayout('/a/c').id);
  expect(clusterLayout('/a/b').id).not.toBe(clusterLayout('/a/c').id);
  expect(clusterLayout('/a').node(1).uniqueName).toMatch(/^lateen-[0-9a-f]{8}-node-1$/);
});

it('describes every node with paths that manifests can use', () => {
  const info = clusterInfo(layout(), state(2));
  expect(info.nodes.map(({ name, csiStateDir, kubeletDir }) => ({ name, csiStateDir, kubeletDir }))).toEqual([
    { name: 'node-1', csiStateDir: '/var/lib/lateen-csi', kubeletDir: '/var/lib/kubelet' },
    { name: 'node-2', csiStateDir: '/var/lib/lateen-csi', kubeletDir: '/var/lib/kubelet' },
  ]);
  expect(info.apiServerUrl).toBe('https://198.18.0.2:6443');
  expect(info.s3).toMatchObject({ endpointForHost: 'http://198.18.0.2:7070', bucket: 'lateen', region: 'us-east-1' });
});
