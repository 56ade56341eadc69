import { aSecret, fakeCluster, referenceInstallation } from '@lateen/testing';
import { expect, it } from 'vitest';
import { mergedRecord, readRecord, recordName, recordSecret } from './replaced-record.ts';

const signal = new AbortController().signal;
const { server, agent, binding } = referenceInstallation();
const stored = {
  ...server,
  metadata: {
    ...server.metadata,
    uid: 'u',
    resourceVersion: '7',
    managedFields: [{}],
    annotations: { 'deployment.kubernetes.io/revision': '3', 'example.dev/own': 'x' },
  },
  status: { readyReplicas: 1 },
};

it('stores objects as they were written, and returns them unchanged', async () => {
  const record = mergedRecord(undefined, [stored, binding], { logLevel: 'debug' });
  const cluster = fakeCluster({ objects: [recordSecret('velero', record)] });
  const written = { ...server, metadata: { ...server.metadata, annotations: { 'example.dev/own': 'x' } } };
  expect(await readRecord(cluster, 'velero', signal)).toEqual({
    // Bindings come before the workloads that need the rights.
    objects: [binding, written],
    settings: { logLevel: 'debug' },
  });
});

it('prefers what exists now, and keeps what an earlier record has and the cluster no longer has', () => {
  const earlier = mergedRecord(undefined, [server, agent], { logLevel: 'debug', nodeAgentConfigmap: 'agents' });
  const changed = { ...server, spec: { ...server.spec, replicas: 3 } };
  const record = mergedRecord(earlier, [changed], { logLevel: 'warn' });
  expect(record.objects).toEqual([agent, changed]);
  expect(record.settings).toEqual({ logLevel: 'warn', nodeAgentConfigmap: 'agents' });
});

it('is undefined when it is missing or invalid', async () => {
  expect(await readRecord(fakeCluster(), 'velero', signal)).toBeUndefined();
  const broken = aSecret({
    name: recordName,
    namespace: 'velero',
    values: { 'replaced.yaml': '{', 'settings.json': '{}' },
  });
  expect(await readRecord(fakeCluster({ objects: [broken] }), 'velero', signal)).toBeUndefined();
});
