/** File below the machine's etc folder. */
export const cniConfigFile = 'cni/10-lateen.conflist';

/** A bridge per node with an address per pod; other nodes are reached by routes, without masquerading. */
export function cniConfig(podSubnet: string): string {
  const config = {
    cniVersion: '0.4.0',
    name: 'lateen',
    plugins: [
      {
        type: 'bridge',
        bridge: 'pods0',
        isGateway: true,
        ipMasq: false,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: podSubnet }]],
          routes: [{ dst: '0.0.0.0/0' }],
          // In /run: a restarted machine has no pods, so it must not remember their addresses.
          dataDir: '/run/cni-addresses',
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
