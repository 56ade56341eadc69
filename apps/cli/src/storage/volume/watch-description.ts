import { AppError, plainLine } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { type ExplainedVolume, explainVolume, findSurroundingObjects, watchVolume } from '@lateen/operations/storage';
import type { Volume } from '@lateen/storage-types';
import type { CommandContext } from '../../command-context.ts';
import { keepDrawing } from '../../output/keep-drawing.ts';
import { redrawn } from '../../output/live-line.ts';
import { describeVolume } from './describe-volume.ts';

/** Shows a volume and its changes until the user ends it: a display on a terminal, a line for each change elsewhere. */
export async function watchDescription(kube: KubeApi, volume: Volume, context: CommandContext): Promise<void> {
  const { clock, random, signal, stdout } = context;
  const around = await findSurroundingObjects(kube, volume.metadata.namespace ?? '', signal);
  const watched = watchVolume({ kube, clock, random }, volume, around);
  const stop = new AbortController();
  const running = watched.run(AbortSignal.any([signal, stop.signal]));
  const explained = () => {
    const sight = watched.sight();
    return sight === undefined ? undefined : explainVolume(sight, clock.now());
  };
  try {
    if (stdout.isTTY === true) {
      const view = redrawn(stdout);
      const picture = () => {
        const seen = explained();
        return seen === undefined ? ['It is not there (any more).'] : describeVolume(seen).split('\n');
      };
      try {
        await keepDrawing(
          { draw: () => view.draw(picture()), onChange: (changed) => watched.onChange(changed) },
          clock,
          signal,
        );
      } finally {
        view.clear();
        // The last state stays on the terminal.
        stdout.write(picture().join('\n'));
      }
    } else {
      let last = '';
      watched.onChange(() => {
        const seen = explained();
        const line = seen === undefined ? '' : volumeLine(seen);
        if (line === last || line === '') return;
        last = line;
        stdout.write(`${line}\n`);
      });
      await running;
    }
  } finally {
    stop.abort(new AppError('STOPPED', 'nobody watches any more'));
    await running;
  }
}

/** The state of a volume in one line, with its running rebuilds. */
export function volumeLine({ volume, standings, findings }: ExplainedVolume): string {
  const { state = 'new', robustness = 'unknown', currentNodeID = '' } = volume.status ?? {};
  const rebuilds = standings.flatMap(({ name, node, progressPercent }) =>
    progressPercent === undefined ? [] : [`${name} on ${node} rebuilt ${progressPercent} %`],
  );
  const trouble = findings.filter(({ weight }) => weight === 'trouble').map(({ text }) => plainLine(text));
  const parts = [`${state}${currentNodeID === '' ? '' : ` to ${currentNodeID}`}`, robustness, ...rebuilds, ...trouble];
  return `${volume.metadata.name}  ${parts.join('; ')}`;
}
