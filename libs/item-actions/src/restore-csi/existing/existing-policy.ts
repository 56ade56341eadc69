import {
  annotations,
  isNamespaceName,
  isObjectName,
  type PersistentVolumeClaim,
  type Restore,
} from '@lateen/api-types';
import { quoted } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import type { ObjectKey } from '@lateen/kube';

export const existingPolicies = ['none', 'full', 'incremental'] as const;

/** What a restore does with the data of an existing claim. */
export type ExistingPolicy = (typeof existingPolicies)[number];

/** The restore's policy for this claim, otherwise for all claims; an opt-out of the claim itself takes precedence. Pure. */
export function existingPolicy(restore: Restore, { metadata }: PersistentVolumeClaim): ExistingPolicy {
  if (metadata.annotations?.[annotations.existingVolumeData] === 'none') return 'none';
  const read = parseClaimPolicies(restore.metadata.annotations?.[annotations.existingVolumes] ?? '');
  // Data is never overwritten because of a value that was not understood.
  if ('problem' in read) return 'none';
  const single = read.policies.get(`${metadata.namespace}/${metadata.name}`);
  return single ?? policyNamed(restore.spec.existingVolumeDataPolicy ?? '') ?? 'none';
}

/** Warns the user that the present data is not that of the backup. */
export const tellLeftAlone = (claim: ObjectKey, log: Logger): void =>
  log.warn(
    { resource: 'persistentvolumeclaims', ...claim },
    'the PersistentVolumeClaim exists already: it keeps its data, that of the backup is not restored into it',
  );

/** Parses `<namespace>/<claim>=<policy>,…`, with target namespaces. Pure. */
export function parseClaimPolicies(text: string): { policies: Map<string, ExistingPolicy> } | { problem: string } {
  const policies = new Map<string, ExistingPolicy>();
  if (text.trim() === '') return { policies };
  for (const part of text.split(',').map((each) => each.trim())) {
    const [claim = '', word = '', ...more] = part.split('=').map((each) => each.trim());
    const [namespace = '', name = '', ...rest] = claim.split('/');
    if (more.length > 0 || rest.length > 0 || !isNamespaceName(namespace) || !isObjectName(name))
      return { problem: `${quoted(part)} is not of the form namespace/claim=policy` };
    const policy = policyNamed(word);
    if (policy === undefined)
      return { problem: `${quoted(part)}: the policy of a claim is one of ${existingPolicies.join(', ')}` };
    if (policies.has(claim)) return { problem: `claim ${claim} is named twice` };
    policies.set(claim, policy);
  }
  return { policies };
}

const policyNamed = (text: string): ExistingPolicy | undefined => existingPolicies.find((policy) => policy === text);
