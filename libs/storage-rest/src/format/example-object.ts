import type { Condition } from '@lateen/storage-types';

/** Objects with something in every field that an answer is made of; for tests alone. */
export const object = <T>(kind: string, name: string, parts: object): T =>
  ({
    apiVersion: 'longhorn.io/v1beta2',
    kind,
    metadata: { name, namespace: 'longhorn-system', creationTimestamp: '2026-11-23T04:30:00Z' },
    ...parts,
  }) as T;

export const condition = (type: string): Condition => ({
  type,
  status: 'True',
  reason: '',
  message: '',
  lastProbeTime: '',
  lastTransitionTime: '2026-11-23T04:30:01Z',
});
