import { findObject } from '@lateen/operations/noun';
import {
  checkMayAttach,
  displacedBy,
  readAttachment,
  requestAttach,
  requestDetach,
  volumeNoun,
} from '@lateen/operations/storage';
import type { Volume } from '@lateen/storage-types';
import { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { askToConfirm } from '../../confirm.ts';
import { openStorage } from '../open-storage.ts';
import { nodeNames, volumeNames } from '../storage-names.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';

const examples = `
Examples:
  lateen storage volume attach pvc-1 node-2 --wait
  lateen storage volume attach pvc-1 node-2 --disable-frontend`;

interface AttachFlags extends WaitFlags {
  disableFrontend?: boolean;
  confirm?: boolean;
}

/** `lateen storage volume attach NAME NODE`, by a ticket of type longhorn-api. */
export function storageVolumeAttachCommand(context: CommandContext): Command {
  const command = new Command('attach')
    .description('Attach a volume to a node by hand; it stays attached until it is detached by hand')
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames))
    .addArgument(completedArgument('<node>', 'node to attach it to', nodeNames));
  withBooleanFlag(command, '--disable-frontend', 'without a device, as a revert needs it');
  withBooleanFlag(command, '--confirm', 'do not ask, even if another client loses it');
  return withWaitFlags(command, 'it is attached there')
    .addHelpText('after', examples)
    .action(async (name: string, node: string, flags: AttachFlags, self: Command) => {
      const opened = await openStorage(context, self);
      const place = { ...opened, signal: context.signal };
      const volume = await findObject(opened.kube, volumeNoun, { namespace: opened.namespace, name }, context.signal);
      await checkMayAttach(place, volume, node);
      const taken = displacedBy(await readAttachment(place, volume), node);
      if (taken.length > 0 && flags.confirm !== true)
        await askToConfirm(context, {
          question: `${name} is requested by ${taken.map(({ type, nodeID }) => `${type} on ${nodeID}`).join(', ')}, which would lose it. Attach it to ${node}?`,
          would: `${name} would be detached from ${taken.map(({ nodeID }) => nodeID).join(', ')}`,
          undone: 'nothing was attached',
        });
      const disableFrontend = flags.disableFrontend === true;
      const changed = await requestAttach(place, volume, { node, disableFrontend });
      context.stdout.write(`volume ${name} ${changed ? 'is requested' : 'is already requested'} on ${node}\n`);
      if (flags.wait === true) await waitFor(context, opened, attachedTo(volume, node, disableFrontend), flags);
    });
}

const attachedTo = ({ metadata: { name = '' } }: Volume, node: string, disableFrontend: boolean) => ({
  noun: volumeNoun,
  name,
  goal: `volume ${name} is attached to ${node}`,
  next: `lateen storage volume describe ${name}`,
  look: (seen: Volume | undefined) => {
    const { state = 'new', currentNodeID = '', frontendDisabled = false, robustness } = seen?.status ?? {};
    const there = state === 'attached' && currentNodeID === node && frontendDisabled === disableFrontend;
    return there
      ? ('done' as const)
      : { waits: `${state}${currentNodeID === '' ? '' : ` to ${currentNodeID}`}, ${robustness ?? 'unknown'}` };
  },
});

const detachExamples = `
Examples:
  lateen storage volume detach pvc-1 --wait
  lateen storage volume detach pvc-1 --force --confirm`;

interface DetachFlags extends WaitFlags {
  force?: boolean;
  confirm?: boolean;
}

/** `lateen storage volume detach NAME` */
export function storageVolumeDetachCommand(context: CommandContext): Command {
  const command = new Command('detach')
    .description('Remove the attachment that was requested by hand; attachments for pods stay, unless --force is given')
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames));
  withBooleanFlag(command, '--force', 'remove the requests of pods and of the manager too');
  withBooleanFlag(command, '--confirm', 'do not ask');
  return withWaitFlags(command, 'it is detached')
    .addHelpText('after', detachExamples)
    .action(async (name: string, flags: DetachFlags, self: Command) => {
      const opened = await openStorage(context, self);
      const place = { ...opened, signal: context.signal };
      const volume = await findObject(opened.kube, volumeNoun, { namespace: opened.namespace, name }, context.signal);
      if (flags.force === true && flags.confirm !== true)
        await askToConfirm(context, {
          question: `Pods that write to ${name} would get I/O errors. Detach it from all clients?`,
          would: `${name} would be detached from all clients that requested it`,
          undone: 'nothing was detached',
        });
      const dropped = await requestDetach(place, volume, { all: flags.force === true });
      const said = dropped.length === 0 ? 'no attachment was requested by hand' : `released: ${dropped.join(', ')}`;
      context.stdout.write(`volume ${name}: ${said}\n`);
      if (flags.wait === true) await waitFor(context, opened, detached(name), flags);
    });
}

const detached = (name: string) => ({
  noun: volumeNoun,
  name,
  goal: `volume ${name} is detached`,
  next: `lateen storage volume describe ${name}`,
  look: (seen: Volume | undefined) => {
    const state = seen?.status?.state ?? 'detached';
    return state === 'detached' ? ('done' as const) : { waits: `${state} ${seen?.status?.currentNodeID ?? ''}`.trim() };
  },
});
