import { describeError, isAppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import {
  checkRights,
  findReference,
  isNothing,
  type KeptSettings,
  planTakeOver,
  type ReferenceInstallation,
  refuseRelease,
  type TakeOverPlan,
  takeOver,
  withOwnAccounts,
} from '@lateen/operations/installation';
import type { CommandContext } from '../command-context.ts';
import { askToConfirm } from '../confirm.ts';
import type { InstallFlags } from '../install/install-flags.ts';
import { liveLine } from '../output/live-line.ts';
import { describePlan } from './describe-plan.ts';

/** A take-over that is planned; nothing has been changed yet. */
export interface PlannedTakeOver {
  found: ReferenceInstallation;
  plan: TakeOverPlan;
  /** Settings for the install that follows: of the installation that was found, otherwise of an interrupted take-over. */
  settings: KeptSettings;
}

/**
 * Looks for an installation, prints what would happen, and changes nothing. Prints a message and returns undefined when there is
 * nothing to take over.
 */
export async function planned(
  kube: KubeApi,
  namespace: string,
  { force = false, ...given }: InstallFlags,
  { signal, stderr }: CommandContext,
): Promise<PlannedTakeOver | undefined> {
  const found = await findReference(kube, namespace, signal);
  if (isNothing(found)) {
    stderr.write(`note: there is nothing to take over in namespace ${namespace}.\n`);
    return undefined;
  }
  await refuseRelease(kube, [found.server, ...found.agents], signal);
  const { usePodVolumes, nodeAgentDisableHostPath } = { ...found.record?.settings, ...given };
  const hostPaths = usePodVolumes !== false && nodeAgentDisableHostPath !== true;
  const plan = planTakeOver(found, { force, hostPaths });
  for (const line of describePlan(plan, namespace)) stderr.write(`to be ${line}\n`);
  for (const warning of plan.warnings) stderr.write(`warning: ${warning}\n`);
  return { found, plan, settings: { ...found.record?.settings, ...plan.carried.settings } };
}

/** Asks, unless it is confirmed already, and removes Velero. Prints each step. @throws what {@link takeOver} throws */
export async function carryOut(
  kube: KubeApi,
  { found, plan }: PlannedTakeOver,
  { confirm, force = false }: InstallFlags,
  timeoutMs: number,
  context: CommandContext,
): Promise<void> {
  if (confirm !== true)
    await askToConfirm(context, {
      question: 'Take over all this?',
      would: 'an installation of Velero would be replaced',
      undone: 'nothing was changed',
    });
  const { clock, signal, stdout, stderr } = context;
  const line = liveLine(stderr);
  const onWaiting = (text: string): void => line.show(`waiting for ${text}`);
  const onDone = (verb: string, title: string): void => {
    line.end();
    stdout.write(`${verb.padEnd('configured'.length)}  ${title}\n`);
  };
  try {
    await takeOver(found, plan, { kube, clock, signal, timeoutMs, force, onWaiting, onDone });
  } finally {
    line.end();
  }
}

/**
 * After the install: checks that no service account of the installation is cluster-admin any more. @throws AppError
 * RIGHTS_TOO_WIDE
 */
export async function confirmRights(
  kube: KubeApi,
  namespace: string,
  { serviceAccountName }: InstallFlags,
  { clock, signal, stdout, stderr }: CommandContext,
): Promise<void> {
  const accounts = withOwnAccounts(serviceAccountName === undefined ? [] : [serviceAccountName]);
  try {
    await checkRights(kube, namespace, accounts, { clock, signal });
    stdout.write(`checked     rights of ServiceAccount ${[...accounts].join(', ')}: no more than Lateen needs\n`);
  } catch (error) {
    if (!isAppError(error, 'KUBE_FORBIDDEN')) throw error;
    stderr.write(`warning: the remaining rights could not be checked: ${describeError(error)}\n`);
  }
}
