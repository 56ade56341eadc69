import type { Setting } from '@lateen/storage-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, missingSettings, readSettings } from './read-settings.ts';
import { schedulerSettingsOf } from './scheduler-settings.ts';
import { defaultValueOf, definitionOf, settingDefinitions, settingWarning } from './setting-definitions.ts';
import { validateSetting, valueProblem } from './validate-setting.ts';

const stored = (name: string, value: string): Setting => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Setting',
  metadata: { name },
  value,
});
const read = (name: string, value: string) => readSettings([stored(name, value)]);

describe('the table of settings', () => {
  it('lists each name once, in the form that Longhorn uses', () => {
    const names = settingDefinitions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z0-9-]+$/.test(name))).toEqual([]);
  });
  it('has defaults that pass its own validation', () => {
    const wrong = settingDefinitions.filter((each) => valueProblem(each, each.default) !== undefined);
    expect(wrong).toEqual([]);
  });
  it('gives a reason for each setting that is kept without effect', () => {
    expect(settingDefinitions.filter(({ effect, because }) => (effect === 'kept') !== (because !== undefined))).toEqual(
      [],
    );
    const kept = definitionOf('disable-revision-counter');
    expect(kept === undefined ? undefined : settingWarning(kept)).toBe(
      'disable-revision-counter is kept and has no effect: replicas have no revision counter: the generation of the engine tells which has everything',
    );
  });
  it.each([
    ['default-replica-count', '{"v1":"3","v2":"3"}'],
    ['default-data-path', '/var/lib/longhorn/'],
    ['replica-soft-anti-affinity', 'false'],
    ['replica-zone-soft-anti-affinity', 'true'],
    ['replica-disk-soft-anti-affinity', 'true'],
    ['storage-over-provisioning-percentage', '100'],
    ['storage-minimal-available-percentage', '25'],
    ['storage-reserved-percentage-for-default-disk', '30'],
    ['replica-replenishment-wait-interval', '600'],
    ['concurrent-replica-rebuild-per-node-limit', '5'],
    ['engine-replica-timeout', '{"v1":"8","v2":"8"}'],
    ['snapshot-data-integrity-cronjob', '{"v1":"0 0 */7 * *","v2":"0 0 */7 * *"}'],
    ['freeze-filesystem-for-snapshot', '{"v1":"false"}'],
    ['replica-rebuild-concurrent-sync-limit', '{"v1":"1"}'],
    ['orphan-resource-auto-deletion', ''],
    ['node-drain-policy', 'block-if-contains-last-replica'],
    ['guaranteed-instance-manager-cpu', '{"v1":"12","v2":"12"}'],
    ['failed-backup-ttl', '1440'],
  ])('%s defaults to %s', (name, value) => {
    const definition = definitionOf(name);
    expect(definition === undefined ? undefined : defaultValueOf(definition)).toBe(value);
  });
});

describe('validateSetting', () => {
  it.each([
    ['auto-salvage', ' false\n', 'false'],
    ['default-replica-count', '2', '{"v1":"2","v2":"2"}'],
    ['default-replica-count', '{"v2":"5","v1":2}', '{"v1":"2","v2":"5"}'],
    ['default-replica-count', '{"v1":"2"}', '{"v1":"2"}'],
    ['freeze-filesystem-for-snapshot', '{"v1":"true","v2":"true"}', '{"v1":"true"}'],
    ['guaranteed-instance-manager-cpu', '12.5', '{"v1":"12.5","v2":"12.5"}'],
    ['orphan-resource-auto-deletion', 'replica-data;instance', 'replica-data;instance'],
    ['taint-toleration', 'key1=value1:NoSchedule; key2:NoExecute', 'key1=value1:NoSchedule; key2:NoExecute'],
    ['taint-toleration', ':', ':'],
    ['manager-url', 'https://storage.example.com:8443', 'https://storage.example.com:8443'],
    ['default-backup-block-size', '16', '16'],
    ['csi-allowed-topology-keys', 'topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ])('%s set to %j is stored as %j', (name, text, value) => {
    expect(validateSetting(name, text)).toEqual({ value });
  });

  const invalid = (name: string, value: string, why: string) =>
    `failed to validate setting ${name} with invalid value ${value}: value ${value} of settings ${name} is invalid: ${why}`;
  it.each([
    ['default-replica-count', '21', 'value 21 should be less than or equal to 20'],
    ['default-replica-count', '0', 'value 0 should be greater than or equal to 1'],
    ['default-replica-count', '{"v1":"3","v2":"21"}', 'value 21 should be less than or equal to 20'],
    ['default-replica-count', '{"v3":"3"}', 'it is not a JSON object of strings by data engine'],
    ['default-replica-count', '{"v1":{}}', 'it is not a JSON object of strings by data engine'],
    ['default-replica-count', '{', 'it is not a JSON object of strings by data engine'],
    ['default-replica-count', '1e1', '1e1 is not a whole number'],
    ['engine-replica-timeout', '7', 'value 7 should be greater than or equal to 8'],
    ['guaranteed-instance-manager-cpu', '40.1', 'value 40.1 should be less than or equal to 40'],
    ['auto-salvage', 'yes', 'yes is not true or false'],
    ['default-backup-block-size', '4', '4 is not one of 2, 16'],
    [
      'node-drain-policy',
      'never',
      'never is not one of block-if-contains-last-replica, allow-if-replica-is-stopped, always-allow, block-for-eviction, block-for-eviction-if-contains-last-replica',
    ],
    ['orphan-resource-auto-deletion', 'instance;x', 'x is not one of replica-data, instance'],
    ['taint-toleration', 'key=value:Never', 'invalid effect: Never of toleration key=value:Never'],
    ['taint-toleration', 'key=value', 'invalid toleration key=value: it is not key=value:effect'],
    ['system-managed-components-node-selector', 'a=b', 'invalid node selector a=b: it is not key:value'],
    ['manager-url', 'https://host/path', 'it must be a scheme, a host and perhaps a port'],
    ['manager-url', 'ftp://host', 'its scheme must be http or https'],
    ['system-managed-csi-components-resource-limits', '[]', 'it is not a JSON object'],
  ])('rejects %s = %s', (name, value, why) => {
    expect(validateSetting(name, value)).toEqual({ refused: invalid(name, value, why) });
  });

  it('passes cron expressions to the given cron check', () => {
    const checks = { cronProblem: (text: string) => (text === 'x' ? 'no fields' : undefined) };
    const name = 'snapshot-data-integrity-cronjob';
    expect(validateSetting(name, 'x', checks)).toEqual({
      refused: invalid(name, 'x', 'invalid cron format(x): no fields'),
    });
    expect(validateSetting(name, '0 1 * * *', checks)).toEqual({ value: '{"v1":"0 1 * * *","v2":"0 1 * * *"}' });
  });

  it.each(['nonsense', 'backup-target', 'backup-target-credential-secret', 'backupstore-poll-interval'])(
    'reports that %s is not supported',
    (name) => {
      expect(validateSetting(name, 'x')).toEqual({ refused: `setting ${name} is not supported` });
    },
  );
  it('reports that settings written by the manager are read-only', () => {
    expect(validateSetting('current-longhorn-version', 'v9')).toEqual({
      refused: 'setting current-longhorn-version is read-only',
    });
  });

  it('stores only values that it would accept again', () => {
    const name = fc.constantFrom(...settingDefinitions.map((each) => each.name));
    const text = fc.oneof(fc.string(), fc.json(), fc.integer().map(String), fc.constantFrom('{"v1":"1"}', 'true', ''));
    fc.assert(
      fc.property(name, text, (setting, value) => {
        const verdict = validateSetting(setting, value);
        if ('value' in verdict) expect(validateSetting(setting, verdict.value)).toEqual(verdict);
        else expect(verdict.refused).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });
});

describe('readSettings', () => {
  it('returns the default of each setting that is not set', () => {
    expect(defaultSettings.number('default-replica-count')).toBe(3);
    expect(defaultSettings.flag('auto-salvage')).toBe(true);
    expect(defaultSettings.text('node-drain-policy')).toBe('block-if-contains-last-replica');
    expect(schedulerSettingsOf(defaultSettings)).toMatchObject({
      overProvisioningPercentage: 100,
      replicaSoftAntiAffinity: false,
      replicaZoneSoftAntiAffinity: true,
    });
  });
  it('reads values per data engine, and plain values for all of them', () => {
    expect(read('default-replica-count', '{"v1":"2","v2":"4"}').settings.number('default-replica-count', 'v2')).toBe(4);
    expect(read('default-replica-count', '{"v2":"4"}').settings.number('default-replica-count')).toBe(3);
    expect(read('default-replica-count', '5').settings.number('default-replica-count', 'v2')).toBe(5);
  });
  it('uses the default instead of an invalid value, and reports the problem', () => {
    const { settings, problems } = read('default-replica-count', '{"v1":"99","v2":"4"}');
    expect([settings.number('default-replica-count'), settings.number('default-replica-count', 'v2')]).toEqual([3, 4]);
    expect(problems).toEqual([
      {
        name: 'default-replica-count',
        reason: 'Invalid',
        message:
          'value {"v1":"99","v2":"4"} of settings default-replica-count is invalid: value 99 should be less than or equal to 20; the default is used: 3',
      },
    ]);
  });
  it('reports unknown names', () => {
    expect(read('of-tomorrow', '1').problems).toEqual([
      { name: 'of-tomorrow', reason: 'Unknown', message: 'setting of-tomorrow is not supported' },
    ]);
  });
  it('reads any input without an exception', () => {
    const name = fc.constantFrom(...settingDefinitions.map((each) => each.name), 'nonsense');
    fc.assert(
      fc.property(name, fc.oneof(fc.string(), fc.json()), (setting, value) => {
        const number = read(setting, value).settings.number('engine-replica-timeout');
        expect(number).toBeGreaterThanOrEqual(8);
        expect(number).toBeLessThanOrEqual(30);
      }),
      { numRuns: 300 },
    );
  });
  it('names the settings that have no object yet', () => {
    const missing = missingSettings([stored('auto-salvage', 'true')]).map(({ name }) => name);
    expect(missing).toHaveLength(settingDefinitions.length - 1);
    expect(missing).not.toContain('auto-salvage');
  });
});
