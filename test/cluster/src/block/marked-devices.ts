import { systemClock as clock, silentLogger } from '@lateen/kernel';
import { hostCommands, type LoopDevice, listLoops, nodeFiles } from '@lateen/volume';

const host = { run: hostCommands({ clock, environment: process.env }), files: nodeFiles, log: silentLogger, clock };

/** Loop devices of front ends with a mark, including those whose front end and mount are gone. */
export async function markedDevices(mark: string): Promise<LoopDevice[]> {
  const loops = await listLoops(host, new AbortController().signal);
  return loops.filter(({ backingFile }) => backingFile.includes(`.${mark}`));
}
