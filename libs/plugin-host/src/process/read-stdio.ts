import type { ServiceClient } from '@lateen/grpc';
import { goPlugin } from '@lateen/plugin-protocol';
import type { ProcessLog } from './process-log.ts';

/**
 * Reads a program's output after the handshake, as long as it runs: go-plugin redirects its standard output and error, and the program blocks when
 * they are not read. The output of a program without this service is lost. Never rejects.
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
    // UNIMPLEMENTED from old programs, or the program has ended, which is reported elsewhere.
  }
}
