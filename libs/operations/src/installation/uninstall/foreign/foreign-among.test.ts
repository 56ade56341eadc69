import { labels } from '@lateen/api-types';
import { expect, it } from 'vitest';
import { foreignAmong, titleOfSeen } from './foreign-among.ts';
import type { SeenObject } from './namespace-contents.ts';

const ours = { 'app.kubernetes.io/part-of': 'lateen' };

const object = (kind: string, name: string, parts: Partial<SeenObject> = {}): SeenObject => ({
  group: '',
  kind,
  name,
  uid: `${kind}-${name}`,
  labels: {},
  owners: [],
  ...parts,
});
const ownedBy = (uid: string, group = 'apps') => ({ owners: [{ group, uid }] });
const titles = (objects: SeenObject[], used: string[] = []) =>
  foreignAmong({ objects, unseen: [] }, new Set(used)).map(titleOfSeen);

it.each([
  'PersistentVolumeClaim',
  'CronJob',
  'Job',
  'Pod',
  'Service',
  'ConfigMap',
  'Secret',
  'ServiceAccount',
  'Role',
  'Ingress',
  'ResourceQuota',
  'Lease',
  'Widget',
])('counts a %s that Lateen did not create as foreign', (kind) => {
  expect(titles([object(kind, 'shop')])).toEqual([`${kind} shop`]);
});

it.each<[string, SeenObject]>([
  ["carries Lateen's label", object('Service', 'x', { labels: ours })],
  ['is the credentials of the object store', object('Secret', 'cloud-credentials')],
  ['is the password of the repositories', object('Secret', 'velero-repo-credentials')],
  ['is a Lease of Lateen', object('Lease', 'lateen-controller-leader')],
  [
    'was created by a movement without an owner reference',
    object('VolumeSnapshot', 'x', { labels: { 'lateen.dev/exposed-for': 'uid' } }),
  ],
  ['is the Job of a repository', object('Job', 'x', { labels: { [labels.repoName]: 'shop-default-kopia' } })],
  ['is the result of a movement', object('ConfigMap', 'x', { labels: { [labels.resourceUsage]: 'DataUpload' } })],
  ['is left over from Velero', object('ServiceAccount', 'velero', { labels: { component: 'velero' } })],
  ['belongs to an object of velero.io', object('Pod', 'mover', ownedBy('upload', 'velero.io'))],
  ['exists in every namespace: the default ServiceAccount', object('ServiceAccount', 'default')],
  ['exists in every namespace: the root CA', object('ConfigMap', 'kube-root-ca.crt')],
])('ignores an object that %s', (_, one) => {
  expect(titles([one])).toEqual([]);
});

it('ignores an object that a velero.io object or a workload names, and only that one', () => {
  const secrets = [object('Secret', 'keys'), object('Secret', 'other')];
  expect(titles(secrets, ['Secret keys', 'ConfigMap other'])).toEqual(['Secret other']);
});

it('counts a workload with the labels of Velero as foreign, because it is in use', () => {
  const deployment = object('Deployment', 'velero', { labels: { component: 'velero' } });
  expect(titles([deployment])).toEqual(['Deployment velero']);
});

it('counts a restored object as foreign, although it has labels of velero.io', () => {
  const claim = object('PersistentVolumeClaim', 'data', {
    labels: { [labels.backupName]: 'b', [labels.restoreName]: 'r' },
  });
  expect(titles([claim])).toEqual(['PersistentVolumeClaim data']);
});

it('counts only top-level objects: a Deployment without its pods, a Service without its endpoints', () => {
  const shop = object('Deployment', 'shop');
  const replicas = object('ReplicaSet', 'shop-1', ownedBy(shop.uid));
  const service = object('Service', 'shop');
  const contents = [
    object('Pod', 'shop-1-a', ownedBy(replicas.uid)),
    replicas,
    shop,
    object('EndpointSlice', 'shop-x', ownedBy(service.uid, '')),
    object('Endpoints', 'shop'),
    service,
    object('Secret', 'shop-token', { tokenOf: 'shop' }),
    object('ServiceAccount', 'shop'),
  ];
  expect(titles(contents)).toEqual(['Deployment shop', 'Service shop', 'ServiceAccount shop']);
});

it("ignores objects that are owned by Lateen's objects", () => {
  const controller = object('Deployment', 'lateen-controller', { labels: ours });
  const replicas = object('ReplicaSet', 'lateen-controller-1', ownedBy(controller.uid));
  expect(titles([controller, replicas, object('Pod', 'p', ownedBy(replicas.uid))])).toEqual([]);
});

it('counts an object whose owner is outside the namespace, Endpoints without a Service, and a token without an account', () => {
  const contents = [
    object('ConfigMap', 'of-a-node', ownedBy('node-1', '')),
    object('Endpoints', 'by-hand'),
    object('Secret', 'old-token', { tokenOf: 'gone' }),
  ];
  expect(titles(contents)).toEqual(['Secret old-token', 'ConfigMap of-a-node', 'Endpoints by-hand']);
});

it('lists objects with data and running workloads first', () => {
  const kinds = ['ConfigMap', 'Secret', 'Pod', 'CronJob', 'StatefulSet', 'PersistentVolumeClaim'];
  expect(titles(kinds.map((kind) => object(kind, 'x'))).map((title) => title.split(' ')[0])).toEqual(
    kinds.toReversed(),
  );
});
