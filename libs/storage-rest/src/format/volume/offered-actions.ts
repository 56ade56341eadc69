import type { Volume } from '@lateen/storage-types';
import { type Offered, volumeActionRows } from '../../schema/volume-action-row.ts';

const states: Readonly<Record<Exclude<Offered, 'always' | 'faulted' | 'not-faulted' | 'never'>, readonly string[]>> = {
  attached: ['attached'],
  detached: ['detached'],
  'detached-attached': ['detached', 'attached'],
  'detached-attaching-attached': ['detached', 'attaching', 'attached'],
};

function isOffered(offered: Offered, state: string, faulted: boolean): boolean {
  if (offered === 'always') return true;
  if (offered === 'faulted') return faulted;
  if (offered === 'never' || faulted) return false;
  return offered === 'not-faulted' || states[offered].includes(state);
}

/** Names of the actions that a volume's answer offers. A faulted one offers salvage, attach and detach alone. */
export function offeredActions({ status = {} }: Pick<Volume, 'status'>): string[] {
  const faulted = status.robustness === 'faulted';
  return volumeActionRows
    .filter(({ offered }) => isOffered(offered, status.state ?? '', faulted))
    .map(({ name }) => name);
}
