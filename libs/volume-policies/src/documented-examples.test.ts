import { readFileSync } from 'node:fs';
import type { PersistentVolume } from '@lateen/api-types';
import { parseResourcePolicies } from '@lateen/item-filters';
import { aConfigMap, aPersistentVolume, aPersistentVolumeClaim } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { volumeAction } from './volume-action.ts';

const guide = readFileSync(new URL('../../../docs/filters.md', import.meta.url), 'utf8');
const [, yaml = '', table = ''] = /```yaml volumes\n(.*?)```\n(.*?)\n\n/s.exec(guide) ?? [];
const policies = parseResourcePolicies(aConfigMap({ data: { policies: `version: v1\nvolumePolicies:\n${yaml}` } }));

/** A volume such as `class `gold`, `5Gi`, label `tier=data`` with its expected action. */
const rows = table
  .split('\n')
  .slice(2)
  .map((line) => {
    const [, volume = '', action = ''] = line.split('|').map((cell) => cell.trim());
    return { volume, action: action.split(':')[0] ?? '' };
  });

function described(text: string) {
  const storageClassName = /class `([^`]+)`/.exec(text)?.[1] ?? '';
  const storage = /`([^`]+i)`/.exec(text)?.[1] ?? '';
  const [, key, value = ''] = /label `([^=]+)=([^`]+)`/.exec(text) ?? [];
  const source: Partial<PersistentVolume['spec']> = text.startsWith('NFS')
    ? { nfs: { server: 'a', path: '/' } }
    : { csi: { driver: 'd', volumeHandle: 'h' } };
  const { csi: _, ...rest } = aPersistentVolume({}).spec;
  const pv = { ...aPersistentVolume({}), spec: { ...rest, ...source, storageClassName, capacity: { storage } } };
  return { pv, pvc: aPersistentVolumeClaim(key === undefined ? {} : { labels: { [key]: value } }) };
}

describe('the volume policies of docs/filters.md', () => {
  it('are found', () => expect(rows.length).toBe(5));

  it.each(rows)('$volume: $action', ({ volume, action }) => {
    expect(volumeAction(described(volume), policies.volumePolicies)?.type ?? 'none').toBe(action);
  });
});
