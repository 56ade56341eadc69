import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { clusterInfo } from '../lifecycle/cluster-info.ts';
import { clusterLayout } from '../lifecycle/cluster-layout.ts';
import type { ClusterStatus } from '../lifecycle/cluster-status.ts';
import { formatStatus, outputFormats } from './format-status.ts';

const layout = clusterLayout('/clusters/a');
const degraded: ClusterStatus = {
  phase: 'degraded',
  dir: '/clusters/a',
  apiServerReady: true,
  machines: [
    { name: 'control-plane', running: true, programs: [{ name: 'etcd', running: true, pid: 7 }] },
    { name: 'node-1', running: true, ready: false, programs: [{ name: 'kubelet', running: false, pid: 8 }] },
  ],
  info: clusterInfo(layout, {
    version: 1,
    id: layout.id,
    nodes: 1,
    link: { hostAddress: '198.18.0.1', clusterAddress: '198.18.0.2', prefixLength: 30 },
    s3: { accessKey: 'ACCESS', secretKey: 'hidden' },
  }),
};

it('lists what runs, what does not, and what to do', () => {
  expect(formatStatus(degraded, 'text').split('\n').slice(1)).toEqual([
    'kubeconfig  /clusters/a/kubeconfig',
    'API server  https://198.18.0.2:6443 (ready)',
    'S3          http://198.18.0.2:7070/lateen',
    'control-plane runs: etcd',
    'node-1        runs, NOT READY: kubelet (NOT RUNNING)',
    'Run `npm run cluster -- up` to repair it.',
  ]);
});

it.each(outputFormats)('never prints the secret key as %s', (format) => {
  expect(formatStatus(degraded, format)).not.toContain('hidden');
});

it('prints the same data as JSON and as YAML', () => {
  const json: unknown = JSON.parse(formatStatus(degraded, 'json'));
  expect(load(formatStatus(degraded, 'yaml'))).toEqual(json);
  expect(json).toMatchObject({ phase: 'degraded', machines: [{ name: 'control-plane' }, { ready: false }] });
});

it('reports that there is no cluster', () => {
  const absent: ClusterStatus = { phase: 'absent', dir: '/clusters/b', apiServerReady: false, machines: [] };
  expect(formatStatus(absent, 'text')).toContain('There is no cluster in /clusters/b.');
});
