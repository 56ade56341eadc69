import { exitCodes } from '@lateen/process';

export const helpText = `Runs replicas, engines and front ends of replicated volumes on one node.

  lateen-instance-manager keep  [flags]   starts serve again whenever it ends; what the container runs, below tini
  lateen-instance-manager serve [flags]   serves the instance API; what runs for volumes outlives it
  lateen-instance-manager engine --config=FILE   one engine; started by serve, never by hand
  lateen-instance-manager transfer --config=FILE   one backup, restore or clone; started by serve, never by hand

Who and where
  --node NAME                 the node (default: NODE_NAME)
  --name NAME                 of the InstanceManager (default: POD_NAME)
  --namespace NAME            of its objects (default: POD_NAMESPACE, else longhorn-system)
  --host-root DIR             where the node's file system is seen (default /; in a pod /host). Paths in requests are the node's
  --runtime-directory DIR     records, sockets and logs, on the node (default /var/run/lateen-storage)
  --device-directory DIR      links to the devices of volumes (default /dev/longhorn)
  --default-data-path DIR     a path of the node that is made at start when it is not there, for its first disk

Network
  --listen ADDRESS:PORT       instance API, TLS of both sides (default 0.0.0.0:8500)
  --manager-port PORT         where other instance managers listen (default: that of --listen)
  --health ADDRESS:PORT       /healthz, /readyz, /metrics (default 0.0.0.0:8501)
  --replica-address ADDRESS   where replicas listen (default 0.0.0.0)
  --replica-ports FIRST-LAST  their ports (default 10000-30000)
  --tls-directory DIR         ca.crt, tls.crt, tls.key, the same for all of the cluster (default /tls)
  --tls-server-name NAME      in the certificates of instance managers (default volume-manager)

Programs, by name or path
  --qemu-storage-daemon, --qemu-img, --nbdfuse, --nbd-client

  --grace-seconds N           keep: how long volumes have to end after SIGTERM (default 90)
  --log-level LEVEL           debug, info, warn or error (default info)
  --log-format FORMAT         text or json (default text)

Examples
  In a pod:    tini -- lateen-instance-manager keep --host-root=/host --default-data-path=/var/lib/longhorn/
  By hand:     lateen-instance-manager serve --node=n1 --name=im-1 --tls-directory=/etc/lateen/tls --runtime-directory=/tmp/im-1

Exit codes: ${exitCodes.done} ended as asked, ${exitCodes.failed} cannot work, ${exitCodes.usage} wrong flags.
`;
