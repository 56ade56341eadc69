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
])('takes a %s that nobody of ours made for foreign', (kind) => {
  expect(titles([object(kind, 'shop')])).toEqual([`${kind} shop`]);
});

it.each<[string, SeenObject]>([
  ['carries our label', object('Service', 'x', { labels: ours })],
  ['is the credentials of the object store', object('Secret', 'cloud-credentials')],
  ['is the password of the repositories', object('Secret', 'velero-repo-credentials')],
  ['is a Lease of ours', object('Lease', 'lateen-controller-leader')],
  ['a movement made and cannot own', object('VolumeSnapshot', 'x', { labels: { 'lateen.dev/exposed-for': 'uid' } })],
  ['is the Job of a repository', object('Job', 'x', { labels: { [labels.repoName]: 'shop-default-kopia' } })],
  ['is the result of a movement', object('ConfigMap', 'x', { labels: { [labels.resourceUsage]: 'DataUpload' } })],
  ['is a rest of Velero', object('ServiceAccount', 'velero', { labels: { component: 'velero' } })],
  ['belongs to an object of velero.io', object('Pod', 'mover', ownedBy('upload', 'velero.io'))],
  ['is in every namespace: the account', object('ServiceAccount', 'default')],
  ['is in every namespace: the CA', object('ConfigMap', 'kube-root-ca.crt')],
])('leaves out what %s', (_, one) => {
  expect(titles([one])).toEqual([]);
});

it('leaves out what an object of ours names, and only that', () => {
  const secrets = [object('Secret', 'keys'), object('Secret', 'other')];
  expect(titles(secrets, ['Secret keys', 'ConfigMap other'])).toEqual(['Secret other']);
});

it('counts what runs under the name of Velero: somebody uses it', () => {
  const deployment = object('Deployment', 'velero', { labels: { component: 'velero' } });
  expect(titles([deployment])).toEqual(['Deployment velero']);
});

it('counts an object restored by a backup, though it carries labels of velero.io', () => {
  const claim = object('PersistentVolumeClaim', 'data', {
    labels: { [labels.backupName]: 'b', [labels.restoreName]: 'r' },
  });
  expect(titles([claim])).toEqual(['PersistentVolumeClaim data']);
});

it('counts each object once, with its owner: pods and replicas with their Deployment, slices and endpoints with their Service', () => {
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

it('counts nothing that hangs on ours', () => {
  const controller = object('Deployment', 'lateen-controller', { labels: ours });
  const replicas = object('ReplicaSet', 'lateen-controller-1', ownedBy(controller.uid));
  expect(titles([controller, replicas, object('Pod', 'p', ownedBy(replicas.uid))])).toEqual([]);
});

it('counts what has an owner that is not in the namespace, endpoints without a Service, and tokens of nobody', () => {
  const contents = [
    object('ConfigMap', 'of-a-node', ownedBy('node-1', '')),
    object('Endpoints', 'by-hand'),
    object('Secret', 'old-token', { tokenOf: 'gone' }),
  ];
  expect(titles(contents)).toEqual(['Secret old-token', 'ConfigMap of-a-node', 'Endpoints by-hand']);
});

it('names first what holds data and what runs', () => {
  const kinds = ['ConfigMap', 'Secret', 'Pod', 'CronJob', 'StatefulSet', 'PersistentVolumeClaim'];
  expect(titles(kinds.map((kind) => object(kind, 'x'))).map((title) => title.split(' ')[0])).toEqual(
    kinds.toReversed(),
  );
});
