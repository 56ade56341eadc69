import type { BackupRepository, Job } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { repositoryOperations } from './repository-job.ts';
import { excludeEachOther, needsLock, operationOf } from './task-exclusion.ts';

const of = (repositoryType: 'kopia' | 'restic') => ({ spec: { repositoryType } }) as BackupRepository;
const jobOf = (operation: string | undefined) =>
  ({ metadata: { labels: operation === undefined ? {} : { 'lateen.dev/repository-operation': operation } } }) as Job;

describe('tasks that exclude each other', () => {
  it.each([
    ['kopia', 'maintain', 'maintain', true],
    ['kopia', 'maintain', 'change-password', true],
    ['kopia', 'maintain', 'check', false],
    ['kopia', 'maintain', 'usage', false],
    ['kopia', 'maintain', 'unlock', false],
    ['kopia', 'check', 'check', false],
    ['kopia', 'check', 'change-password', true],
    ['kopia', 'usage', 'change-password', true],
    ['restic', 'maintain', 'check', true],
    ['restic', 'check', 'check', true],
    ['restic', 'maintain', 'usage', false],
    ['restic', 'maintain', 'unlock', false],
    ['kopia', 'maintain', 'forget', false],
    ['kopia', 'forget', 'forget', false],
    ['kopia', 'change-password', 'forget', true],
    ['restic', 'maintain', 'forget', true],
    ['restic', 'forget', 'forget', true],
    ['restic', 'usage', 'forget', false],
    ['kopia', 'maintain', 'verify', false],
    ['kopia', 'change-password', 'verify', true],
  ] as const)('%s: %s and %s: %s', (engine, one, other, expected) => {
    expect(excludeEachOther(of(engine), one, other)).toBe(expected);
    expect(excludeEachOther(of(engine), other, one)).toBe(expected);
  });

  it('need the lock when they write, or when the engine locks for them', () => {
    expect(repositoryOperations.filter((each) => needsLock(of('kopia'), each))).toEqual([
      'maintain',
      'change-password',
    ]);
    expect(repositoryOperations.filter((each) => needsLock(of('restic'), each))).toEqual([
      'maintain',
      'check',
      'change-password',
      'forget',
    ]);
  });

  it.each([
    ['check', 'check'],
    [undefined, 'maintain'],
    ['of-the-future', 'maintain'],
  ])('are known by the label %s: %s', (label, operation) => expect(operationOf(jobOf(label))).toBe(operation));
});
