import { byteSize } from '@lateen/errors';
import { findObject } from '@lateen/operations/noun';
import {
  changeObject,
  factsOf,
  sizeOf,
  unlessRefused,
  volumeNoun,
  wholeSizeBytes,
  withSpec,
} from '@lateen/operations/storage';
import { int64Of, int64Text, type Volume } from '@lateen/storage-types';
import { checkExpand } from '@lateen/volume-decisions';
import { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { openStorage } from '../open-storage.ts';
import { parseBytes } from '../parse-bytes.ts';
import { volumeNames } from '../storage-names.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';

const examples = `
Examples:
  lateen storage volume expand pvc-1 20Gi --wait`;

/** `lateen storage volume expand NAME SIZE` */
export function storageVolumeExpandCommand(context: CommandContext): Command {
  const command = new Command('expand')
    .description('Make a volume larger, while it is in use or not; the claim of a pod is better expanded by kubectl')
    .addArgument(completedArgument('<name>', 'name of the volume', volumeNames))
    .argument('<size>', 'its new size as a quantity, such as 20Gi');
  return withWaitFlags(command, 'it has grown; one that is detached grows when it is attached')
    .addHelpText('after', examples)
    .action(async (name: string, size: string, flags: WaitFlags, self: Command) => {
      const bytes = wholeSizeBytes(parseBytes('the size', size));
      const opened = await openStorage(context, self);
      const { signal, stdout, stderr } = context;
      const before = await findObject(opened.kube, volumeNoun, { namespace: opened.namespace, name }, signal);
      const { object, changed } = await changeObject({ ...opened, signal }, volumeNoun, name, (volume) => {
        unlessRefused(checkExpand(factsOf(volume)));
        return withSpec(volume, { size: int64Text(bytes) });
      });
      stdout.write(
        `volume ${name} ${changed ? `is to grow from ${byteSize(Number(sizeOf(before)))} to ${byteSize(Number(bytes))}` : `has ${byteSize(Number(bytes))} already`}\n`,
      );
      const { pvcName = '', namespace: of = '' } = object.status?.kubernetesStatus ?? {};
      if (changed && pvcName !== '')
        stderr.write(
          `WARNING: claim ${of}/${pvcName} keeps its size: its file system grows only when the claim is expanded\n`,
        );
      if (flags.wait === true) await waitFor(context, opened, grown(name, bytes), flags);
    });
}

const grown = (name: string, bytes: bigint) => ({
  noun: volumeNoun,
  name,
  goal: `volume ${name} has ${byteSize(Number(bytes))}`,
  next: `lateen storage volume describe ${name}`,
  look: (seen: Volume | undefined) => {
    const { expansionRequired, state = 'new' } = seen?.status ?? {};
    const asked = (int64Of(seen?.spec.size) ?? 0n) >= bytes;
    if (asked && expansionRequired === false) return 'done' as const;
    return { waits: state === 'detached' ? 'it grows when it is attached' : `it is growing, ${state}` };
  },
});
