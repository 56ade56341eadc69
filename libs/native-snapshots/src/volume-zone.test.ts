import type { NodeSelectorRequirement, PersistentVolume } from '@lateen/api-types';
import { aPersistentVolume } from '@lateen/testing';
import { expect, it } from 'vitest';
import { zoneOfVolume } from './volume-zone.ts';

const within = (key: string, ...values: string[]): NodeSelectorRequirement => ({ key, operator: 'In', values });

const volume = (
  terms: readonly (readonly NodeSelectorRequirement[])[],
  labels: Record<string, string> = {},
): PersistentVolume => {
  const plain = aPersistentVolume({});
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions: [...matchExpressions] }));
  const nodeAffinity = { required: { nodeSelectorTerms } };
  return { ...plain, metadata: { ...plain.metadata, labels }, spec: { ...plain.spec, nodeAffinity } };
};

const label = 'topology.kubernetes.io/zone';
const beta = 'failure-domain.beta.kubernetes.io/zone';
const ebs = 'topology.ebs.csi.aws.com/zone';
const gke = 'topology.gke.io/zone';

it.each<[string, PersistentVolume, string]>([
  ['nothing', aPersistentVolume({}), ''],
  ['its zone label', volume([[within(ebs, 'b')]], { [label]: 'a' }), 'a'],
  ['its older zone label', volume([[within(ebs, 'b')]], { [beta]: 'a' }), 'a'],
  ['both labels', volume([], { [beta]: 'old', [label]: 'new' }), 'new'],
  ['a label without a value', volume([[within(ebs, 'b')]], { [label]: '' }), ''],
  ['the driver of EBS', volume([[within(ebs, 'eu-1a')]]), 'eu-1a'],
  ['the driver of Azure disks', volume([[within('topology.disk.csi.azure.com/zone', 'westeurope-1')]]), 'westeurope-1'],
  ['the driver of Cinder', volume([[within('topology.cinder.csi.openstack.org/zone', 'nova')]]), 'nova'],
  ['the driver of Manila', volume([[within('topology.manila.csi.openstack.org/zone', 'nova')]]), 'nova'],
  ['a node affinity on the zone label', volume([[within(label, 'a', 'b')]]), 'a'],
  ['a node affinity on the older zone label', volume([[within(beta, 'a')]]), 'a'],
  ['GKE, in one zone', volume([[within(gke, 'a')]]), 'a'],
  ['GKE, in two zones', volume([[within(gke, 'a')], [within(gke, 'b')]]), 'a__b'],
  ['GKE beside another driver', volume([[within(gke, 'a')], [within(ebs, 'b')]]), 'b'],
  ['other keys', volume([[within('kubernetes.io/hostname', 'n1')]]), ''],
  ['another operator', volume([[{ key: ebs, operator: 'NotIn', values: ['a'] }]]), ''],
  ['a key without values', volume([[{ key: ebs, operator: 'In' }]]), ''],
  ['a second term', volume([[within('kubernetes.io/hostname', 'n1')], [within(ebs, 'a')]]), 'a'],
  ['a term without expressions', volume([[], [within(ebs, 'a')]]), 'a'],
])('reads the zone of a volume with %s', (_, given, zone) => expect(zoneOfVolume(given)).toBe(zone));
