import { robustnesses, type Volume, type VolumeStatus } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { conditionOf } from './condition.ts';

const aVolume = (status?: VolumeStatus): Volume => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Volume',
  metadata: { name: 'v' },
  spec: {},
  ...(status === undefined ? {} : { status }),
});
const unplaced = (message: string) => [
  { type: 'Scheduled', status: 'False', reason: 'ReplicaSchedulingFailure', message } as const,
];

describe('the condition of a volume for CSI', () => {
  it.each([
    ['healthy', false],
    ['degraded', true],
    ['faulted', true],
    ['unknown', false],
  ] as const)('%s: abnormal is %s', (robustness, abnormal) => {
    const { message, ...found } = conditionOf(aVolume({ robustness }));
    expect(found).toEqual({ abnormal });
    expect(message).not.toBe('');
  });

  it('is normal while nothing is known', () => expect(conditionOf(aVolume()).abnormal).toBe(false));

  it.each(robustnesses)('of a %s volume is abnormal while a replica has no place, with the reason', (robustness) => {
    const condition = conditionOf(aVolume({ robustness, conditions: unplaced('insufficient storage') }));
    expect(condition).toEqual({
      abnormal: true,
      message: expect.stringContaining('a replica cannot be scheduled: insufficient storage'),
    });
  });

  it('contains the reason when there is no message', () =>
    expect(conditionOf(aVolume({ conditions: unplaced('') })).message).toContain('ReplicaSchedulingFailure'));
});
