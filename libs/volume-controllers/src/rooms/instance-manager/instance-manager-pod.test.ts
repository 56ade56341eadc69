import type { Setting } from '@lateen/storage-types';
import { readSettings } from '@lateen/volume-decisions';
import { describe, expect, it } from 'vitest';
import { anInstanceManager, somePodSettings } from './example-instance-manager.ts';
import { disruptionBudget, instanceManagerPod, podDigestAnnotation } from './instance-manager-pod.ts';
import { nodeSelectorIn, podSettingsOf, tolerationsIn } from './pod-settings.ts';

const setting = (name: string, value: string): Setting => ({
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Setting',
  metadata: { name },
  value,
});
const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const golden = (name: string) => `testdata/${name}.json`;
const eightCores = { status: { allocatable: { cpu: '7910m' } } };

describe('the pod of an instance manager', () => {
  it('with default settings', async () => {
    const pod = instanceManagerPod(anInstanceManager(), somePodSettings());
    await expect(text(pod)).toMatchFileSnapshot(golden('pod'));
    await expect(text(disruptionBudget(anInstanceManager()))).toMatchFileSnapshot(golden('budget'));
  });

  it('with all settings', async () => {
    const { settings } = readSettings([
      setting('taint-toleration', 'dedicated=storage:NoExecute; gpu:NoSchedule; :'),
      setting('system-managed-components-node-selector', 'storage:true; zone:a'),
      setting('priority-class', 'urgent'),
      setting('system-managed-pods-image-pull-policy', 'always'),
      setting('registry-secret', 'pull'),
      setting('guaranteed-instance-manager-cpu', '{"v1":"20","v2":"1"}'),
      setting('default-data-path', '/data/'),
    ]);
    const pod = instanceManagerPod(anInstanceManager(), podSettingsOf(settings, undefined, eightCores));
    await expect(text(pod)).toMatchFileSnapshot(golden('pod-all'));
  });

  it.each([
    ['12', undefined, '7910m', 950],
    ['12', undefined, '4', 480],
    ['0', undefined, '4', 0],
    ['12', 250, '4', 250],
    ['12', undefined, 'much', 0],
  ])(
    'requests %s %% of the CPUs, or the amount that the node specifies (%s of %s: %s)',
    (share, own, cpu, expected) => {
      const { settings } = readSettings([setting('guaranteed-instance-manager-cpu', share)]);
      const node = { spec: own === undefined ? {} : { instanceManagerCPURequest: own } };
      expect(podSettingsOf(settings, node, { status: { allocatable: { cpu } } }).cpuRequestMilli).toBe(expected);
    },
  );

  it('has another digest for other settings, and the same digest for equal ones', () => {
    const digest = (parts = {}) =>
      instanceManagerPod(anInstanceManager(), somePodSettings(parts)).metadata.annotations?.[podDigestAnnotation];
    expect(digest()).toBe(digest());
    expect(digest()).not.toBe(digest({ priorityClass: '' }));
  });

  it('has the tolerations of the setting, including one for every taint', () => {
    expect(tolerationsIn('a=b:NoSchedule;c:NoExecute;d:;:')).toEqual([
      { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
      { key: 'c', operator: 'Exists', effect: 'NoExecute' },
      { key: 'd', operator: 'Exists' },
      { operator: 'Exists' },
    ]);
    expect(tolerationsIn('')).toEqual([]);
    expect(nodeSelectorIn('a:b; c:')).toEqual({ a: 'b', c: '' });
  });
});
