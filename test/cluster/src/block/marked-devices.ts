import { systemClock as clock, silentLogger } from '@lateen/kernel';
import { hostCommands, type LoopDevice, listLoops, nodeFiles } from '@lateen/volume';

const host = { run: hostCommands({ clock, environment: process.env }), files: nodeFiles, log: silentLogger, clock };

/** Loop devices of the front ends with a mark, also those whose front end and its mount have gone. */
export async function markedDevices(mark: string): Promise<LoopDevice[]> {
  const loops = await listLoops(host, new AbortController().signal);
  return loops.filter(({ backingFile }) => backingFile.includes(`.${mark}`));
}
