import type { Engine, Replica } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { type DrainSeen, drainVerdict } from './drain-verdict.ts';

const replica = (volumeName: string, nodeID: string, parts: Partial<Replica['spec']> = {}): Replica => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Replica',
  metadata: { name: `${volumeName}-${nodeID}` },
  spec: { volumeName, nodeID, healthyAt: '2026-01-01T00:00:00Z', failedAt: '', desireState: 'stopped', ...parts },
  status: { currentState: parts.desireState ?? 'stopped' },
});
const engine = (desireState: 'running' | 'stopped'): Engine => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Engine',
  metadata: { name: 'v-e-0' },
  spec: { volumeName: 'v', nodeID: 'n1', desireState },
  status: { currentState: desireState },
});
const usual = 'block-if-contains-last-replica';
const both = [replica('v', 'n1'), replica('v', 'n2')];

const rows: readonly [string, Partial<DrainSeen>, boolean][] = [
  ['a node that is not cordoned', { cordoned: false, policy: 'always-allow' }, true],
  ['a volume is attached there, whatever the policy', { policy: 'always-allow', engines: [engine('running')] }, true],
  [
    'an engine that has stopped',
    { policy: 'always-allow', engines: [engine('stopped')], replicas: [replica('v', 'n1')] },
    false,
  ],
  ['a healthy replica elsewhere', { replicas: both }, false],
  ['no other replica', { replicas: [replica('v', 'n1')] }, true],
  ['the other one has failed', { replicas: [replica('v', 'n1'), replica('v', 'n2', { failedAt: 'x' })] }, true],
  ['the other one has no data yet', { replicas: [replica('v', 'n1'), replica('v', 'n2', { healthyAt: '' })] }, true],
  ['the other one is on a node that is drained too', { replicas: both, protectedNodes: new Set() }, true],
  ['the other one is of another volume', { replicas: [replica('v', 'n1'), replica('w', 'n2')] }, true],
  ['one that never had data is not the last', { replicas: [replica('v', 'n1', { healthyAt: '' })] }, false],
  [
    'one that had data and failed may be the last',
    { replicas: [replica('v', 'n1', { healthyAt: '', lastHealthyAt: 'x', failedAt: 'x' })] },
    true,
  ],
  ['stopped replicas do not count', { policy: 'allow-if-replica-is-stopped', replicas: [replica('v', 'n1')] }, false],
  [
    'running ones do',
    { policy: 'allow-if-replica-is-stopped', replicas: [replica('v', 'n1', { desireState: 'running' })] },
    true,
  ],
  ['eviction: any replica blocks', { policy: 'block-for-eviction', replicas: both }, true],
  ['eviction: none is left', { policy: 'block-for-eviction', replicas: [replica('v', 'n2')] }, false],
  [
    'eviction of the last: others do not block',
    { policy: 'block-for-eviction-if-contains-last-replica', replicas: both },
    false,
  ],
];

describe('drainVerdict', () => {
  it.each(rows)('%s', (_, parts, protect) => {
    const seen = {
      node: 'n1',
      cordoned: true,
      policy: usual,
      engines: [],
      replicas: [],
      protectedNodes: new Set(['n2']),
      ...parts,
    };
    const verdict = drainVerdict(seen);
    expect(verdict).toMatchObject({ protect });
    expect(verdict.why).not.toBe('');
  });
});
