import { describe, expect, it } from 'vitest';
import { agentSettings } from './agent-settings.ts';

const parsed = (settings: unknown, nodeLabels: Record<string, string> = {}) =>
  agentSettings('velero/agents', { 'config.json': JSON.stringify(settings) }, nodeLabels);
const rule = (number: unknown, matchLabels: Record<string, string>) => ({ nodeSelector: { matchLabels }, number });
/** One warning that contains both texts. */
const naming = (key: string, value: string) => [
  expect.stringMatching(new RegExp(`${key.replaceAll('.', '\\.')}.*${value.replaceAll(/[[\]{}.]/g, '\\$&')}`)),
];

describe('loadConcurrency', () => {
  const rules = {
    globalConfig: 5,
    perNodeConfig: [rule(2, { zone: 'a' }), rule(3, { disk: 'ssd' }), rule(0, { zone: 'b' })],
  };
  it.each([
    ['no rule matches: the global number', {}, 5],
    ['one matches', { disk: 'ssd' }, 3],
    ['two match: the least', { disk: 'ssd', zone: 'a' }, 2],
    ['one matches with a number that cannot be: the global one', { zone: 'b' }, 5],
  ])('%s', (_, nodeLabels, concurrency) => {
    expect(parsed({ loadConcurrency: rules }, nodeLabels as Record<string, string>).concurrency).toBe(concurrency);
  });
  it('a rule without a selector applies to every node', () => {
    expect(parsed({ loadConcurrency: { globalConfig: 5, perNodeConfig: [{ number: 2 }] } }).concurrency).toBe(2);
  });
  it.each([0, -1, 1.5, '3', null])('%j is not a number of data paths, which causes a warning', (globalConfig) => {
    const { concurrency, remarks } = parsed({ loadConcurrency: { globalConfig } });
    expect(concurrency).toBeUndefined();
    expect(remarks).toEqual(naming('loadConcurrency.globalConfig', JSON.stringify(globalConfig)));
  });
  it.each([
    [undefined, 0, []],
    [0, 0, []],
    [10, 10, []],
    [-1, 0, naming('prepareQueueLength', '-1')],
    ['10', 0, naming('prepareQueueLength', '"10"')],
  ])('a prepareQueueLength of %j is %d', (prepareQueueLength, length, remarks) => {
    const settings = parsed({ loadConcurrency: { globalConfig: 1, prepareQueueLength } });
    expect(settings).toMatchObject({ prepareQueueLength: length, remarks });
  });
  it.each([
    ['In', ['a', 'b'], { zone: 'a' }, true],
    ['In', ['a', 'b'], { zone: 'c' }, false],
    ['NotIn', ['a'], {}, true],
    ['NotIn', ['a'], { zone: 'a' }, false],
    ['Exists', [], { zone: 'x' }, true],
    ['DoesNotExist', [], { zone: 'x' }, false],
  ])('zone %s %j on a node with %j: %s', (operator, values, nodeLabels, matches) => {
    const nodeSelector = { matchExpressions: [{ key: 'zone', operator, values }] };
    const loadConcurrency = { globalConfig: 1, perNodeConfig: [{ nodeSelector, number: 7 }] };
    expect(parsed({ loadConcurrency }, nodeLabels as Record<string, string>).concurrency).toBe(matches ? 7 : 1);
  });
});

describe('settings that are passed on unchanged', () => {
  it('every key of Velero, and ours', () => {
    const nodeSelector = { matchLabels: { pool: 'a' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] };
    const { exposure, remarks } = parsed({
      podResources: { cpuRequest: '0.5', cpuLimit: '1500m', memoryLimit: '1Gi', ephemeralStorageLimit: '0' },
      podResourcesPerStorageClass: { fast: { cpuLimit: '2' }, slow: {} },
      podResourcesMax: { cpu: '2', memory: '0', ephemeralStorage: '' },
      loadAffinity: [{ nodeSelector }, { nodeSelector, storageClass: 'fast' }, { nodeSelector: {}, storageClass: '' }],
      backupPVC: {
        fast: { storageClass: 'copy', readOnly: true, spcNoRelabeling: true, annotations: { a: 'b' } },
        slow: { secretNames: ['token', 'token'], configMapNames: ['config'] },
      },
      restorePVC: { ignoreDelayBinding: true, secretNames: ['token'], configMapNames: [] },
      priorityClassName: 'backups',
      podLabels: { team: 'storage', 'example.com/empty': '' },
      podAnnotations: { 'any text': 'at all \u2014 here' },
      cachePVC: { storageClass: 'cache', residentThresholdInMB: 1024 },
      privilegedFsBackup: true,
      csiSnapshotMetadataServiceConfigs: { saName: 'cbt' },
      podVolume: { access: 'claim', kubeletDirectory: '/var/data/kubelet/' },
    });
    expect(remarks).toEqual([]);
    expect(exposure).toEqual({
      podResources: { requests: { cpu: '0.5' }, limits: { cpu: '1500m', memory: '1Gi' } },
      podResourcesPerStorageClass: { fast: { limits: { cpu: '2' } }, slow: {} },
      podResourcesMax: { cpu: '2', memory: '0' },
      loadAffinity: [
        { nodeSelector },
        { nodeSelector, storageClass: 'fast' },
        { nodeSelector: { matchLabels: {}, matchExpressions: [] } },
      ],
      backupPVC: {
        fast: { storageClass: 'copy', readOnly: true, spcNoRelabeling: true, annotations: { a: 'b' } },
        slow: {
          readOnly: false,
          spcNoRelabeling: false,
          annotations: {},
          secretNames: ['token'],
          configMapNames: ['config'],
        },
      },
      restorePVC: { ignoreDelayBinding: true, secretNames: ['token'] },
      priorityClassName: 'backups',
      podLabels: { team: 'storage', 'example.com/empty': '' },
      podAnnotations: { 'any text': 'at all \u2014 here' },
      cachePVC: { storageClass: 'cache', residentThresholdInMB: 1024 },
      privilegedFsBackup: true,
      csiSnapshotMetadataServiceConfigs: { saName: 'cbt' },
      podVolume: { access: 'claim', kubeletDirectory: '/var/data/kubelet' },
    });
  });
  it('an empty ConfigMap sets nothing', () => {
    expect(parsed({})).toMatchObject({
      concurrency: undefined,
      prepareQueueLength: 0,
      remarks: [],
      exposure: { podResources: undefined, loadAffinity: [], backupPVC: {}, cachePVC: undefined },
    });
    expect(parsed({}).exposure).not.toHaveProperty('podLabels');
    expect(parsed({}).exposure).not.toHaveProperty('podVolume');
  });
  it('without settings for volumes of pods the flags of the agent apply', () => {
    expect(parsed({ podVolume: {} }).exposure).toMatchObject({ privilegedFsBackup: false, podVolume: {} });
    expect(parsed({ podVolume: { access: 'claim-only' } }).exposure.podVolume).toEqual({ access: 'claim-only' });
  });
  it('a cachePVC without a threshold applies to every restore', () => {
    const cachePVC = { storageClass: 'cache' };
    expect(parsed({ cachePVC }).exposure.cachePVC).toEqual({ storageClass: 'cache', residentThresholdInMB: 0 });
  });
});

describe('an invalid value', () => {
  const affinity = (nodeSelector: unknown) => ({ loadAffinity: [{ nodeSelector }, { nodeSelector: {} }] });
  const requirement = (operator: unknown, values?: unknown) =>
    affinity({ matchExpressions: [{ key: 'k', operator, values }] });
  it.each([
    [
      { podResources: { memoryLimit: '1GB' } },
      naming('"podResources"', 'memoryLimit "1GB"'),
      { podResources: undefined },
    ],
    [{ podResources: 'lots' }, naming('"podResources"', '"lots"'), { podResources: undefined }],
    [
      { podResourcesPerStorageClass: { fast: { cpuLimit: 'x' }, slow: { cpuLimit: '1' }, none: null } },
      naming('podResourcesPerStorageClass.fast', 'cpuLimit "x"'),
      { podResourcesPerStorageClass: { slow: { limits: { cpu: '1' } } } },
    ],
    [
      { podResourcesMax: { cpu: 'lots', memory: '1Gi' } },
      naming('"podResourcesMax"', 'cpu "lots"'),
      { podResourcesMax: { memory: '1Gi' } },
    ],
    [{ podResourcesMax: '8Gi' }, naming('"podResourcesMax"', '"8Gi"'), { podResourcesMax: undefined }],
    [{ loadAffinity: {} }, naming('loadAffinity', '{}'), { loadAffinity: [] }],
    [affinity('here'), naming('loadAffinity.nodeSelector', '"here"'), { loadAffinity: [expect.anything()] }],
    [affinity({ matchLabels: { a: 1 } }), naming('loadAffinity.nodeSelector', '{"a":1}'), {}],
    [requirement('Near', ['x']), naming('loadAffinity.nodeSelector', 'operator "Near"'), {}],
    [requirement('In'), naming('loadAffinity.nodeSelector', 'operator In of "k" needs values'), {}],
    [requirement('Exists', ['x']), naming('loadAffinity.nodeSelector', 'takes no values'), {}],
    [
      { loadAffinity: [{ nodeSelector: {}, storageClass: 3 }] },
      naming('loadAffinity.storageClass', '3'),
      { loadAffinity: [] },
    ],
    [
      { csiSnapshotMetadataServiceConfigs: { saName: 'no name' } },
      naming('csiSnapshotMetadataServiceConfigs.saName', '"no name"'),
      { csiSnapshotMetadataServiceConfigs: undefined },
    ],
    [{ backupPVC: [] }, naming('backupPVC', '[]'), { backupPVC: {} }],
    [
      { backupPVC: { fast: { readOnly: 'yes', storageClass: 'copy' } } },
      naming('backupPVC.fast.readOnly', '"yes"'),
      { backupPVC: { fast: { storageClass: 'copy', readOnly: false, spcNoRelabeling: false, annotations: {} } } },
    ],
    [
      { restorePVC: { secretNames: ['../up', 'token'] } },
      naming('restorePVC.secretNames', '"../up"'),
      { restorePVC: { ignoreDelayBinding: false, secretNames: ['token'] } },
    ],
    [
      { backupPVC: { fast: { annotations: { a: 1, b: 'c' } } } },
      naming('backupPVC.fast.annotations', '"a": 1'),
      { backupPVC: { fast: expect.objectContaining({ annotations: { b: 'c' } }) } },
    ],
    [
      { restorePVC: { ignoreDelayBinding: 1 } },
      naming('ignoreDelayBinding', '1'),
      { restorePVC: { ignoreDelayBinding: false } },
    ],
    [{ priorityClassName: 5 }, naming('priorityClassName', '5'), { priorityClassName: undefined }],
    [{ podLabels: { ok: 'yes', bad: 'no!' } }, naming('podLabels', '"bad": "no!"'), { podLabels: { ok: 'yes' } }],
    [{ podLabels: { '-bad': 'x' } }, naming('podLabels', '"-bad"'), { podLabels: {} }],
    [{ podAnnotations: 'x' }, naming('podAnnotations', '"x"'), {}],
    [{ cachePVC: { residentThresholdInMB: 1 } }, naming('cachePVC', 'needs a storageClass'), { cachePVC: undefined }],
    [{ privilegedFsBackup: 'yes' }, naming('privilegedFsBackup', '"yes"'), { privilegedFsBackup: false }],
    [{ podVolume: 'claim' }, naming('podVolume', '"claim"'), {}],
    [
      { podVolume: { access: 'pvc', kubeletDirectory: '/k' } },
      naming('podVolume.access', '"pvc" is ignored: it must be one of "host-path", "claim", "claim-only"'),
      { podVolume: { kubeletDirectory: '/k' } },
    ],
    ...['var/lib/kubelet', '/var/../etc', '/var//kubelet', '/', '', 3].map(
      (kubeletDirectory): [object, unknown[], object] => [
        { podVolume: { access: 'claim', kubeletDirectory } },
        naming('podVolume.kubeletDirectory', JSON.stringify(kubeletDirectory)),
        { podVolume: { access: 'claim' } },
      ],
    ),
    [{ loadConcurrency: 3 }, naming('loadConcurrency', '3'), {}],
    [{ loadConcurrency: { perNodeConfig: [3] } }, naming('perNodeConfig', '3'), {}],
  ])('%j causes a warning and is ignored', (settings, remarks, exposure) => {
    const read = parsed({ ...settings });
    expect(read.remarks).toEqual(remarks);
    expect(read.exposure).toMatchObject(exposure);
  });
  it('keeps all other settings', () => {
    const read = parsed({
      podResources: { cpuLimit: 'x' },
      backupPVC: 3,
      priorityClassName: 'backups',
      loadConcurrency: { globalConfig: 0, prepareQueueLength: 4 },
    });
    expect(read.remarks).toHaveLength(3);
    expect(read).toMatchObject({ prepareQueueLength: 4, exposure: { priorityClassName: 'backups' } });
  });
  it.each([
    [{ backupPvc: {} }, ['"backupPvc" is unknown and has no effect']],
    [{ restorePVC: { ignore: true } }, ['"restorePVC.ignore" is unknown and has no effect']],
    [{ podResources: { cpuLimits: '1' } }, ['"podResources.cpuLimits" is unknown and has no effect']],
    [{ podResourcesMax: { cpuLimit: '1' } }, ['"podResourcesMax.cpuLimit" is unknown and has no effect']],
    [{ podVolume: { kubeletRoot: '/k' } }, ['"podVolume.kubeletRoot" is unknown and has no effect']],
  ])('%j: unknown keys are named', (settings, remarks) => {
    expect(parsed(settings).remarks).toEqual(remarks);
  });
  it('a warning about a long value is short', () => {
    const [remark] = parsed({ priorityClassName: ['x'.repeat(5_000)] }).remarks;
    expect(remark?.length).toBeLessThan(400);
  });
});

describe('the config map itself', () => {
  it('is rejected without exactly one key, with the reason', () => {
    expect(() => agentSettings('velero/agents', undefined, {})).toThrow('ConfigMap velero/agents has 0 data keys');
    expect(() => agentSettings('velero/agents', { a: '{}', b: '{}' }, {})).toThrow('has 2 data keys');
  });
  it.each(['', 'no json', '[]', 'null', '3'])('%j is rejected', (text) => {
    expect(() => agentSettings('velero/agents', { a: text }, {})).toThrow(
      expect.objectContaining({ code: 'AGENT_SETTINGS' }),
    );
  });
});
