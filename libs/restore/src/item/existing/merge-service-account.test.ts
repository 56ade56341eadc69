import type { Unstructured } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { mergeServiceAccount } from './merge-service-account.ts';

interface Parts {
  secrets?: object[];
  imagePullSecrets?: object[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  automountServiceAccountToken?: boolean;
}

const account = ({ labels, annotations, ...parts }: Parts): Unstructured => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace: 'shop', name: 'default', ...(labels && { labels }), ...(annotations && { annotations }) },
  ...parts,
});

const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

describe('an existing ServiceAccount', () => {
  it.each<[title: string, there: Parts, backup: Parts, merged: Parts]>([
    ['nothing to add', { secrets: [a] }, { secrets: [a] }, { secrets: [a] }],
    ['secrets of both sides', { secrets: [a, b] }, { secrets: [b, c] }, { secrets: [a, b, c] }],
    ['secrets that only the backup has', {}, { secrets: [a] }, { secrets: [a] }],
    ['secrets that only the cluster has', { secrets: [a] }, {}, { secrets: [a] }],
    ['pull secrets of both sides', { imagePullSecrets: [a] }, { imagePullSecrets: [b] }, { imagePullSecrets: [a, b] }],
    [
      'labels of both sides, existing labels win',
      { labels: { x: '1' } },
      { labels: { x: '2', y: '3' } },
      { labels: { x: '1', y: '3' } },
    ],
    [
      'annotations of both sides, existing annotations win',
      { annotations: { x: '1' } },
      { annotations: { x: '2', y: '3' } },
      { annotations: { x: '1', y: '3' } },
    ],
    [
      'other fields stay as they are',
      { automountServiceAccountToken: true },
      { automountServiceAccountToken: false },
      { automountServiceAccountToken: true },
    ],
    [
      'equal secrets with their keys in another order',
      { secrets: [{ name: 'a', namespace: 'n' }] },
      { secrets: [{ namespace: 'n', name: 'a' }] },
      { secrets: [{ name: 'a', namespace: 'n' }] },
    ],
  ])('%s', (_title, there, backup, merged) => {
    const { labels = {}, annotations = {}, ...rest } = merged;
    expect(mergeServiceAccount(account(there), account(backup))).toEqual(account({ ...rest, labels, annotations }));
  });
});
