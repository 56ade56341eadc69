import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ClusterInfo,
  clusterDown,
  clusterStatus,
  clusterUp,
  ensureParts,
  findLeftovers,
  killMachine,
  loadImage,
  programImage,
  silentProgress,
} from '@lateen/cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markedDevices } from '../block/marked-devices.ts';
import { noteMark, orphanedDevice } from '../block/orphaned-device.ts';

const execute = promisify(execFile);
const testImage = 'localhost/lateen-cluster-test:dev';

/** Clusters of this test have their own folders, so that they do not affect a cluster of a developer or of CI. */
let folder: string;
let kubectlPath: string;
let archive: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-cluster-test-'));
  const binaries = await ensureParts(['kubectl', 'pause'], silentProgress);
  kubectlPath = binaries.kubectl ?? '';
  // kubectl is a static program that speaks HTTP, which is enough to test the network from inside a pod.
  archive = (await programImage({ tag: testImage, programs: binaries })).archive;
});

afterAll(async () => {
  await clusterDown({ dir: dirOf('one') });
  await clusterDown({ dir: dirOf('two') });
  await rm(folder, { recursive: true, force: true });
});

const dirOf = (name: string): string => join(folder, name);

async function kubectl(cluster: ClusterInfo, args: string[], input?: unknown): Promise<string> {
  const running = execute(kubectlPath, ['--kubeconfig', cluster.kubeconfig, ...args]);
  if (input !== undefined) running.child.stdin?.end(JSON.stringify(input));
  return (await running).stdout.trim();
}

/** A ready pod that sleeps, for running kubectl inside it. */
const pod = (name: string, nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName,
    containers: [{ name: 'main', image: testImage, imagePullPolicy: 'Never', command: ['/pause'] }],
    terminationGracePeriodSeconds: 0,
  },
});

async function runPod(cluster: ClusterInfo, name: string, nodeName: string): Promise<void> {
  await loadImage(cluster, archive);
  // The service account of pods is created a moment after its namespace.
  await kubectl(cluster, ['wait', '--for=create', 'serviceaccount/default', '--timeout=60s']);
  await kubectl(cluster, ['apply', '-f', '-'], pod(name, nodeName));
  await kubectl(cluster, ['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s']);
}

async function pids(dir: string): Promise<Record<string, number>> {
  const { machines } = await clusterStatus({ dir });
  return Object.fromEntries(
    machines.flatMap((machine) => machine.programs.map(({ name, pid }) => [`${machine.name}/${name}`, pid])),
  );
}

describe('a cluster of one node', () => {
  const dir = () => dirOf('one');
  let cluster: ClusterInfo;

  it('starts from nothing, with a node that runs pods whose logs and commands are reachable through the API', async () => {
    expect(await findLeftovers({ dir: dir() })).toEqual([]);
    cluster = await clusterUp({ dir: dir() });
    expect((await clusterStatus({ dir: dir() })).phase).toBe('running');
    await runPod(cluster, 'first', 'node-1');
    expect(await kubectl(cluster, ['exec', 'first', '--', '/kubectl', 'version', '--client'])).toContain('v1.34.4');
    expect(await kubectl(cluster, ['logs', 'first'])).toBe('');
  });

  it('lets a pod reach the API server at its Service address, and the S3 server', async () => {
    const inPod = ['exec', 'first', '--', '/kubectl', 'get', '--raw'];
    expect(await kubectl(cluster, [...inPod, '/readyz'])).toBe('ok');
    const s3 = kubectl(cluster, [
      'exec',
      'first',
      '--',
      '/kubectl',
      '--server',
      cluster.s3.endpointForPods,
      'get',
      '--raw',
      '/',
    ]);
    // kubectl sends no signature, so the rejection comes from the S3 server.
    await expect(s3).rejects.toThrow(/Forbidden|Access ?Denied|forbidden/);
  });

  it('is not changed by a second up', async () => {
    const before = await pids(dir());
    expect(await clusterUp({ dir: dir() })).toEqual(cluster);
    expect(await pids(dir())).toEqual(before);
  });

  it.each([
    'node-1/kubelet',
    'node-1/containerd',
    'control-plane/etcd',
    'control-plane/kube-apiserver',
    'control-plane/versitygw',
  ])('is repaired by up after %s was killed', async (program) => {
    const pid = (await pids(dir()))[program] ?? 0;
    expect(pid).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => (await clusterStatus({ dir: dir() })).phase, { timeout: 30_000 }).toBe('degraded');
    await clusterUp({ dir: dir() });
    expect((await clusterStatus({ dir: dir() })).phase).toBe('running');
    expect((await pids(dir()))[program]).not.toBe(pid);
    await kubectl(cluster, ['wait', '--for=condition=Ready', 'pod/first', '--timeout=60s']);
  });

  it.each(['node-1', 'control-plane'])('is repaired by up after the machine %s was lost', async (machine) => {
    await kubectl(cluster, ['create', 'configmap', `before-${machine}`]);
    await killMachine({ dir: dir(), machine });
    await expect.poll(async () => (await clusterStatus({ dir: dir() })).phase, { timeout: 30_000 }).toBe('degraded');
    // Remains of a container of the lost machine; the kubelet would take seconds to process each.
    const cgroups = (await findLeftovers({ dir: dir() })).filter(
      ({ kind, name }) => kind === 'cgroup' && name.endsWith(`-${machine}`),
    );
    const left = cgroups.map(({ name }) => join(name, 'left-by-a-container'));
    for (const path of left) await mkdir(path);
    // And the device of a volume of it, whose file system is gone; another machine has one too.
    const marks = ['node-1', 'node-2'].map((name) => ({ name, mark: `${machine}-${name}-${cluster.id}` }));
    for (const { name, mark } of marks) {
      await noteMark(join(dir(), 'machines', name, 'var-lib'), mark);
      await orphanedDevice('pvc-1', mark);
    }
    await clusterUp({ dir: dir() });
    expect(left.filter((path) => existsSync(path))).toEqual([]);
    const devices = await Promise.all(marks.map(({ mark }) => markedDevices(mark)));
    expect(devices.map(({ length }) => length)).toEqual([machine === 'node-1' ? 0 : 1, 1]);
    expect((await clusterStatus({ dir: dir() })).phase).toBe('running');
    expect(await kubectl(cluster, ['get', 'configmap', `before-${machine}`, '-o', 'name'])).toContain(machine);
    await runPod(cluster, `after-${machine}`, 'node-1');
  });
});

describe('a second cluster of two nodes beside the first', () => {
  let second: ClusterInfo;

  it('starts with the same inner addresses without affecting the first', async () => {
    const first = await clusterUp({ dir: dirOf('one') });
    second = await clusterUp({ dir: dirOf('two'), nodes: 2 });
    expect(second.nodes.map(({ name }) => name)).toEqual(['node-1', 'node-2']);
    expect(second.apiServerUrl).not.toBe(first.apiServerUrl);
    const nodes = async (cluster: ClusterInfo) => (await kubectl(cluster, ['get', 'nodes', '-o', 'name'])).split('\n');
    expect(await nodes(first)).toEqual(['node/node-1']);
    expect(await nodes(second)).toEqual(['node/node-1', 'node/node-2']);
  });

  it('carries traffic between pods on different nodes', async () => {
    await runPod(second, 'near', 'node-1');
    await runPod(second, 'far', 'node-2');
    const proxy = ['proxy', '--port=8001', '--address=0.0.0.0', '--accept-hosts=.*'];
    const serving = execute(kubectlPath, [
      '--kubeconfig',
      second.kubeconfig,
      'exec',
      'far',
      '--',
      '/kubectl',
      ...proxy,
    ]);
    const address = await kubectl(second, ['get', 'pod', 'far', '-o', 'jsonpath={.status.podIP}']);
    const inNear = ['exec', 'near', '--', '/kubectl', '--server', `http://${address}:8001`, 'get', '--raw', '/readyz'];
    await expect.poll(() => kubectl(second, inNear).catch(String), { timeout: 20_000 }).toBe('ok');
    serving.child.kill();
    await serving.catch(() => {});
  });

  it('is removed without remains, with a volume mounted on a loop device, and does not affect the first', async () => {
    const script =
      'truncate -s 64M /var/lib/lateen-csi/v.img && mkfs.ext4 -q /var/lib/lateen-csi/v.img && mkdir -p /var/lib/kubelet/v && mount -o loop /var/lib/lateen-csi/v.img /var/lib/kubelet/v && losetup -f --show /var/lib/lateen-csi/v.img';
    const init = (await findLeftovers({ dir: dirOf('two') })).find(({ name }) =>
      name.endsWith(`lateen-${second.id}-node-2`),
    );
    const target = ['--target', init?.name.split(' ')[0] ?? '', '--mount', '--pid', '--net', '--', 'sh', '-ec', script];
    await execute('nsenter', target);
    const kinds = new Set((await findLeftovers({ dir: dirOf('two') })).map(({ kind }) => kind));
    // The checker finds what exists; otherwise finding nothing afterwards would prove nothing.
    expect([...kinds].sort()).toEqual([
      'cgroup',
      'file',
      'loop device',
      'network interface',
      'network namespace',
      'process',
    ]);
    await clusterDown({ dir: dirOf('two') });
    expect(await findLeftovers({ dir: dirOf('two') })).toEqual([]);
    expect((await clusterStatus({ dir: dirOf('one') })).phase).toBe('running');
  });

  it('leaves a state that down removes when up is interrupted, and reports the interruption', async () => {
    const stop = new AbortController();
    const began: string[] = [];
    const step = { update: () => {}, done: () => {}, failed: () => {} };
    const progress = {
      note: () => {},
      begin: (label: string) => {
        began.push(label);
        if (label.startsWith('etcd')) stop.abort(new Error('enough'));
        return step;
      },
    };
    await expect(clusterUp({ dir: dirOf('two'), progress, signal: stop.signal })).rejects.toThrow('enough');
    expect(began.length).toBeGreaterThan(2);
    expect(await findLeftovers({ dir: dirOf('two') })).not.toEqual([]);
    await clusterDown({ dir: dirOf('two') });
    expect(await findLeftovers({ dir: dirOf('two') })).toEqual([]);
  });
});

it('removes the first cluster without remains, although the wrappers of its programs and its machines are stopped', async () => {
  const wrappers = (await findLeftovers({ dir: dirOf('one') })).filter(
    ({ kind, name }) => kind === 'process' && /^\d+ (nsenter|unshare) /.test(name),
  );
  expect(new Set(wrappers.map(({ name }) => name.split(' ')[1]))).toEqual(new Set(['nsenter', 'unshare']));
  for (const { name } of wrappers) process.kill(Number(name.split(' ')[0]), 'SIGSTOP');
  await clusterDown({ dir: dirOf('one') });
  expect(await findLeftovers({ dir: dirOf('one') })).toEqual([]);
  expect((await clusterStatus({ dir: dirOf('one') })).phase).toBe('absent');
});
