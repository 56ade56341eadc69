import type { Backup, Schedule } from '@lateen/api-types';
import { aConfigMap, aNamespace, aPersistentVolume, aPod, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';
const policies = `version: v1
includeExcludePolicy:
  excludedNamespaceScopedResources: [pods]
`;

const backup: Backup = {
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'old', namespace },
  spec: { includedNamespaces: ['bank'] },
};
const schedule: Schedule = {
  apiVersion: 'velero.io/v1',
  kind: 'Schedule',
  metadata: { name: 'nightly', namespace },
  spec: { schedule: '@daily', template: { labelSelector: { matchLabels: { app: 'web' } } } },
};

async function explain(...words: string[]) {
  const clock = new FakeClock();
  const kube = fakeCluster({
    clock,
    objects: [
      aNamespace({ name: 'shop' }),
      aNamespace({ name: 'marked', labels: { 'velero.io/exclude-from-backup': 'true' } }),
      aPod({ name: 'web', namespace: 'shop', labels: { app: 'web' } }),
      aPod({ name: 'web', namespace: 'marked' }),
      aConfigMap({ name: 'settings', namespace: 'shop' }),
      aConfigMap({ name: 'policies', namespace, data: { 'policies.yaml': policies } }),
      aPersistentVolume({ name: 'pv-1' }),
      backup,
      schedule,
    ],
  });
  return await runForTests({ clock, random: seededRandom(), kube }, ['backup', 'explain', ...words]);
}

describe('lateen backup explain', () => {
  it('names the rules that include an object', async () => {
    const { code, stdout } = await explain('Pod', 'shop/web');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['pods shop/web is in the backup'],
      [''],
      ['RULE', 'OBJECT'],
      ['deletion', 'in'],
      ['label velero.io/exclude-from-backup', 'in'],
      ['namespaces of the backup', 'in'],
      ['resources of the backup', 'in'],
      ["kinds of the namespace's filter policy", 'in'],
      ['names of the fine-grained filter', 'in'],
      ['labels', 'in'],
      [''],
    ]);
  });

  it.each<[what: string, words: string[], line: string]>([
    ['flags', ['pods', 'shop/web', '--include-resources', 'secrets'], 'includedResources does not have pods'],
    ['a backup', ['pods', 'shop/web', '--backup', 'old'], 'namespace shop is not included'],
    ['a schedule', ['configmaps', 'shop/settings', '--from-schedule', 'nightly'], 'its labels do not match'],
    ['the label of its namespace', ['pods', 'marked/web'], 'namespace marked is not included'],
  ])('names %s as the rule that excludes an object', async (_, words, reason) => {
    const { code, stdout } = await explain(...words);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toContain(`${words[0]} ${words[1]} is not in the backup: ${reason}`);
    expect(stdout.trimEnd()).toMatch(/ out$/);
  });

  it('reads the policies that the filters name', async () => {
    const { stdout } = await explain('pods', 'shop/web', '--resource-policies-configmap', 'policies');
    expect(stdout).toMatch(/^pods shop\/web is not in the backup: .*pods/);
  });

  it('reports that cluster-scoped objects are included with others', async () => {
    const { stdout } = await explain('persistentvolumes', 'pv-1', '--include-namespaces', 'shop');
    expect(stdout).toMatch(/^persistentvolumes pv-1 is not in the backup: /);
    expect(stdout).toContain('It is included when an object in the backup needs it');
  });

  it('prints JSON with -o json', async () => {
    const { stdout } = await explain('pods', 'shop/web', '--backup', 'old', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      resource: 'pods',
      namespace: 'shop',
      name: 'web',
      included: false,
      reason: 'namespace shop is not included',
      comesAlong: false,
    });
  });

  it.each<[words: string[], says: string]>([
    [['pods', 'web'], 'pods are in namespaces: name it as NAMESPACE/NAME'],
    [['persistentvolumes', 'shop/pv-1'], 'persistentvolumes are in no namespace: name it as NAME'],
    [['pods', 'shop/gone'], 'pods "shop/gone" not found'],
    [['gears', 'shop/x'], 'the API server does not know the resource "gears"'],
    [['pods', 'a/b/c'], '"a/b/c" is not NAMESPACE/NAME or NAME'],
    [['pods', 'shop/web', '--backup', 'none'], 'backups.velero.io "none" not found'],
    [['pods', 'shop/web', '--backup', 'old', '--selector', 'a=b'], 'but by one of these only'],
    [['pods', 'shop/web', '-o', 'yaml'], '--output "yaml" is not text or json'],
  ])('rejects %j', async (words, says) => {
    const { code, stdout, stderr } = await explain(...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(says);
  });
});
