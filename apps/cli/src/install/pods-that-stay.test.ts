import type { Unstructured } from '@lateen/kube';
import { expect, it } from 'vitest';
import { podsThatStay } from './pods-that-stay.ts';

const workload = (kind: string, namespace: string, name: string, ...images: string[]): Unstructured => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace, name },
  spec: {
    selector: { matchLabels: {} },
    template: { metadata: { labels: {} }, spec: { containers: images.map((image) => ({ name: image, image })) } },
  },
});
const digest = `r.example/a@sha256:${'0'.repeat(64)}`;
const objects = [
  workload('Deployment', 'velero', 'a', 'r.example/a:1'),
  workload('DaemonSet', 'velero', 'b', digest, 'r.example/b'),
  workload('DaemonSet', 'velero', 'c', digest),
  workload('DaemonSet', 'longhorn-system', 'd', 'r.example/d:1'),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'velero', name: 'e' } },
];

it.each([
  ['nothing when all pods are new', [], []],
  ['nothing of images that cannot change', ['DaemonSet velero/c', 'ConfigMap velero/e'], []],
  [
    'a command for each namespace',
    ['Deployment velero/a', 'DaemonSet velero/b', 'DaemonSet velero/c', 'DaemonSet longhorn-system/d'],
    [
      'kubectl rollout restart -n velero deployment/a daemonset/b',
      'kubectl rollout restart -n longhorn-system daemonset/d',
    ],
  ],
])('prints %s', (_, kept, commands) => {
  const notes = podsThatStay(objects, new Set(kept));
  expect(notes.map((note) => note.replace(/^note: .*: (?=kubectl)/, '').trimEnd())).toEqual(commands);
});
