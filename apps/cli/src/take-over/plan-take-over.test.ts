import { backupType, dataUploadType, deleteBackupRequestType, type ResourceType } from '@lateen/api-types';
import type { Ending, ReferenceInstallation, UnfinishedWork, Worker } from '@lateen/operations/installation';
import { type ClusterRoleBinding, isNothing, planTakeOver, wideBindings } from '@lateen/operations/installation';
import { referenceInstallation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { describePlan } from './describe-plan.ts';

const objects = referenceInstallation();
const bindings = wideBindings([objects.binding as ClusterRoleBinding], 'velero', new Set(['velero']));

/** An empty cluster; each row adds the parts that it tests. */
const found = (parts: Partial<ReferenceInstallation> = {}): ReferenceInstallation => ({
  namespaceName: 'velero',
  namespace: undefined,
  server: undefined,
  agents: [],
  account: undefined,
  bindings: [],
  unfinished: [],
  locations: new Map(),
  kept: new Map(),
  hasDefaultPassword: false,
  record: undefined,
  ...parts,
});

const running = { ...objects.server, status: { readyReplicas: 1 } };
const runningAgent = { ...objects.agent, status: { numberReady: 2 } };
const windows = { ...objects.agent, metadata: { ...objects.agent.metadata, name: 'node-agent-windows' } };
const work = (type: ResourceType, worker: Worker, ending: Ending): UnfinishedWork => ({
  type,
  kind: type.kind,
  name: 'x',
  phase: 'InProgress',
  worker,
  ending,
});
const backup = work(backupType, 'server', 'fail');
const upload = work(dataUploadType, 'agents', 'cancel');
const deletion = work(deleteBackupRequestType, 'server', 'leave');
const lines = (parts: Partial<ReferenceInstallation>, force = false) =>
  describePlan(planTakeOver(found(parts), { force, hostPaths: false }), 'velero')
    .filter((line) => !line.startsWith('saved') && !line.includes('every Secret'))
    .map((line) => line.replace(/ +/g, ' '));

describe('what is found, and what a take-over does with it', () => {
  it.each<[string, Partial<ReferenceInstallation>, string[]]>([
    ['nothing', {}, []],
    [
      'the server',
      { server: objects.server },
      ['replaced Deployment velero/velero by Deployment lateen-controller of Lateen'],
    ],
    [
      'the node-agents',
      { agents: [objects.agent] },
      ['replaced DaemonSet velero/node-agent by DaemonSet node-agent of Lateen'],
    ],
    [
      'node-agents for Windows',
      { agents: [windows] },
      ['removed DaemonSet velero/node-agent-windows: there is no image for Windows nodes'],
    ],
    [
      'the wide binding',
      { bindings },
      ['removed ClusterRoleBinding velero, by which ServiceAccount velero/velero may do everything'],
    ],
    [
      'locations',
      {
        locations: new Map([
          ['default', 'aws'],
          ['b', 'velero.io/gcp'],
        ]),
      },
      ['kept BackupStorageLocation default, b'],
    ],
    [
      'Backups',
      {
        kept: new Map([
          ['Backup', ['1', '2', '3', '4', '5', '6', '7']],
          ['Restore', []],
        ]),
      },
      ['kept Backup 1, 2, 3, 4, 5 and 2 more'],
    ],
  ])('%s', (_, parts, wanted) => {
    expect(lines(parts)).toEqual(wanted);
  });
});

describe('what has not ended', () => {
  it.each<[string, Partial<ReferenceInstallation>, boolean, string]>([
    [
      'a Backup of a server that runs',
      { server: running, unfinished: [backup] },
      false,
      'waited for Backup x (InProgress)',
    ],
    ['the same with force', { server: running, unfinished: [backup] }, true, 'ended Backup x (InProgress)'],
    [
      'a Backup of a server that does not run',
      { server: objects.server, unfinished: [backup] },
      false,
      'ended Backup x (InProgress)',
    ],
    ['a Backup of a server that is gone', { unfinished: [backup] }, false, 'ended Backup x (InProgress)'],
    [
      'an upload of node-agents that run',
      { agents: [runningAgent], unfinished: [upload] },
      false,
      'waited for DataUpload x (InProgress)',
    ],
    [
      'an upload of node-agents that do not run',
      { agents: [objects.agent], unfinished: [upload] },
      false,
      'ended DataUpload x (InProgress)',
    ],
    [
      'a deletion under way',
      { server: running, unfinished: [deletion] },
      false,
      'waited for DeleteBackupRequest x (InProgress)',
    ],
    [
      'a deletion with force',
      { server: running, unfinished: [deletion] },
      true,
      'left DeleteBackupRequest x (InProgress), as it is',
    ],
  ])('%s', (_, parts, force, wanted) => {
    expect(lines(parts, force)[0]).toBe(wanted);
  });
});

describe('warnings', () => {
  it.each<[string, Partial<ReferenceInstallation>, RegExp[]]>([
    ['none for a usual installation', { locations: new Map([['default', 'aws']]) }, []],
    [
      'VolumeSnapshotLocations',
      { kept: new Map([['VolumeSnapshotLocation', ['default']]]) },
      [/VolumeSnapshotLocations are kept; they are used when a plugin offers/],
    ],
    ['the default password', { hasDefaultPassword: true }, [/lateen repo change-password -n velero/]],
    [
      'a provider that is not built in',
      {
        locations: new Map([
          ['a', 'velero.io/aws'],
          ['x', 'alibabacloud'],
        ]),
      },
      [/^BackupStorageLocation x is of provider alibabacloud/],
    ],
    ['pod security', { namespace: objects.namespace }, [/level baseline, which was privileged/]],
  ])('%s', (_, parts, wanted) => {
    const { warnings } = planTakeOver(found(parts), { force: false, hostPaths: false });
    expect(warnings).toEqual(wanted.map((pattern) => expect.stringMatching(pattern)));
  });

  it('nothing about pod security when pod volumes need the existing level', () => {
    const { warnings } = planTakeOver(found({ namespace: objects.namespace }), { force: false, hostPaths: true });
    expect(warnings).toEqual([]);
  });
});

it.each<[string, Partial<ReferenceInstallation>, boolean]>([
  ['nothing at all', {}, true],
  ['only what is kept', { locations: new Map([['default', 'aws']]), unfinished: [deletion] }, true],
  ['a server', { server: objects.server }, false],
  ['a DaemonSet', { agents: [windows] }, false],
  ['only the wide binding', { bindings }, false],
  ['only a Backup without a controller', { unfinished: [backup] }, false],
])('with %s: nothing to take over is %s', (_, parts, wanted) => {
  expect(isNothing(found(parts))).toBe(wanted);
});
