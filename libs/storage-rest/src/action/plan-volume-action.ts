import { notFound } from '../errors/error-body.ts';
import { nameOf } from '../format/given.ts';
import { volumeActionRows } from '../schema/volume-action-row.ts';
import { attach, detach, replicaRemove, salvage } from './attach-actions.ts';
import { pvCreate, pvcCreate, recurringJobAdd, recurringJobDelete } from './kubernetes-actions.ts';
import { noInput, readInput } from './read-input.ts';
import * as snapshot from './snapshot-actions.ts';
import { activate, engineUpgrade, expand, fieldActions, updateReplicaCount } from './spec-actions.ts';
import type { DecideAction, VolumeActionSeen } from './volume-action-seen.ts';
import type { VolumeActionPlan } from './volume-intent.ts';

const onlyAnswer: DecideAction = () => ({ intent: { do: 'nothing' } });

/** By the names of the table of actions; each but `jobList`, which has no route. */
const decisions: Readonly<Record<string, DecideAction>> = {
  attach,
  detach,
  salvage,
  activate,
  expand,
  cancelExpansion: () => ({ intent: { do: 'cancel-expansion' } }),
  replicaRemove,
  engineUpgrade,
  ...snapshot,
  snapshotCRList: onlyAnswer,
  pvCreate,
  pvcCreate,
  recurringJobAdd,
  recurringJobDelete,
  recurringJobList: onlyAnswer,
  updateReplicaCount,
  ...fieldActions,
};

/**
 * What `POST /v1/volumes/<name>?action=<action>` is to bring about, and what it answers. `body`: parsed from JSON, undefined for none.
 * Whether the action is offered now is not asked: routes answer in any state, and each action checks for itself.
 * @throws REST_REFUSED with the words that clients know; REST_NOT_FOUND
 */
export function planVolumeAction(action: string, body: unknown, seen: VolumeActionSeen): VolumeActionPlan {
  const row = volumeActionRows.find(({ name }) => name === action);
  const decide = Object.hasOwn(decisions, action) ? decisions[action] : undefined;
  if (row === undefined || decide === undefined)
    throw notFound(`volume ${nameOf(seen.volume)} has no action ${JSON.stringify(action)}`);
  // Clients detach without a body.
  const sent = action === 'detach' ? (body ?? {}) : body;
  const input = row.reads === undefined ? noInput : readInput(row.reads, sent);
  return { ...decide(input, seen), answer: row.answer };
}
