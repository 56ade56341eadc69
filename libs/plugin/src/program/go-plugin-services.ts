import { once } from 'node:events';
import { AppError } from '@lateen/errors';
import { makeService, type Service, type ServiceOptions } from '@lateen/grpc';
import { goPlugin, health, healthServiceName } from '@lateen/plugin-protocol';

/**
 * What every program on hashicorp/go-plugin serves beside its plugins. `shutDown` is called when the host asks the program to end.
 */
export function goPluginServices(shutDown: () => void, options: ServiceOptions): Service[] {
  return [
    makeService<goPlugin.GRPCControllerServer>(
      goPlugin.GRPCControllerService,
      {
        shutdown: async () => {
          shutDown();
          return {};
        },
      },
      options,
    ),
    // All output of ours is log lines on standard error, so nothing comes; hosts keep the stream open as long as the program lives.
    makeService<goPlugin.GRPCStdioServer>(
      goPlugin.GRPCStdioService,
      {
        streamStdio: async function* (_request, { signal }) {
          await ended(signal);
          yield* [];
        },
      },
      options,
    ),
    // Hosts open it at once and never use it: no kind of plugin needs a second connection.
    makeService<goPlugin.GRPCBrokerServer>(
      goPlugin.GRPCBrokerService,
      {
        startStream: async function* (_requests, { signal }) {
          await ended(signal);
          yield* [];
        },
      },
      options,
    ),
    makeService<health.HealthServer>(health.HealthService, { check: healthCheck, watch: healthWatch }, options),
  ];
}

const serving = { status: health.HealthCheckResponse_ServingStatus.SERVING };

async function healthCheck({ service }: health.HealthCheckRequest) {
  if (service === '' || service === healthServiceName) return serving;
  throw new AppError('NOT_FOUND', `there is no service ${JSON.stringify(service)}`);
}

async function* healthWatch({ service }: health.HealthCheckRequest, { signal }: { signal: AbortSignal }) {
  const known = service === '' || service === healthServiceName;
  yield known ? serving : { status: health.HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN };
  await ended(signal);
}

async function ended(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
