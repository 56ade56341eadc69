import type { ServiceClient } from '@lateen/grpc';
import { goPlugin } from '@lateen/plugin-protocol';
import type { ProcessLog } from './process-log.ts';

/**
 * Reads what a program prints once it has shaken hands, as long as it runs: go-plugin takes its standard output and error away from it, and it
 * blocks when nobody reads them. A program that does not offer them loses them. Never rejects.
 */
export async function readStdio(
  client: ServiceClient<goPlugin.GRPCStdioServer>,
  log: ProcessLog,
  ended: AbortSignal,
): Promise<void> {
  try {
    for await (const { channel, data } of client.streamStdio({}, { signal: ended })) {
      if (channel === goPlugin.StdioData_Channel.STDERR) log.stderr(data.toString('utf8'));
      else log.stdout(data.toString('utf8'));
    }
  } catch {
    // UNIMPLEMENTED of old programs, or the program has ended, which others tell.
  }
}
