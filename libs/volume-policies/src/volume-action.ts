import type { VolumePolicy, VolumePolicyAction } from '@lateen/item-filters';
import { matchesConditions } from './match-conditions.ts';
import { type PolicyVolume, volumeFacts } from './volume-facts.ts';

/** What the first policy that matches says; undefined when none does. The policies of the backup come before those of the server. */
export function volumeAction(volume: PolicyVolume, policies: readonly VolumePolicy[]): VolumePolicyAction | undefined {
  return matchingPolicy(volume, policies)?.action;
}

/** With its place in the list, from 1, for what people read. */
export function matchingPolicy(
  volume: PolicyVolume,
  policies: readonly VolumePolicy[],
): { action: VolumePolicyAction; place: number } | undefined {
  if (policies.length === 0) return undefined;
  const facts = volumeFacts(volume);
  const index = policies.findIndex(({ conditions }) => matchesConditions(conditions, facts));
  const policy = policies[index];
  return policy === undefined ? undefined : { action: policy.action, place: index + 1 };
}

/** `volume policy 2 says skip`. */
export const saysText = ({ action, place }: { action: VolumePolicyAction; place: number }): string =>
  `volume policy ${place} says ${action.type}`;
