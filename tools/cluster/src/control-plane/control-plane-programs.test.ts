import { describe, expect, it } from 'vitest';
import { apiServerArgs } from './api-server-args.ts';
import { auditPolicy } from './audit-policy.ts';
import {
  apiServerProgram,
  controllerManagerProgram,
  etcdProgram,
  s3Program,
  schedulerProgram,
} from './control-plane-programs.ts';

describe('the control plane', () => {
  it('authorizes nodes and RBAC, allows privileged pods, and checks certificates of kubelets', () => {
    const { argv } = apiServerProgram('certificate');
    expect(argv).toEqual(
      expect.arrayContaining([
        '--authorization-mode=Node,RBAC',
        '--enable-admission-plugins=NodeRestriction',
        '--allow-privileged=true',
        '--kubelet-certificate-authority=/run/lateen/pki/ca.crt',
        '--kubelet-preferred-address-types=InternalIP',
        '--etcd-servers=http://127.0.0.1:2379',
        '--advertise-address=10.210.0.1',
      ]),
    );
  });

  it('is restarted when its certificate changes, and not otherwise', () => {
    expect(apiServerProgram('one')).toEqual(apiServerProgram('one'));
    expect(apiServerProgram('one').configuration).not.toEqual(apiServerProgram('two').configuration);
  });

  it('logs users and calls of service accounts, without bodies', () => {
    const { argv, configuration } = apiServerProgram('certificate');
    expect(argv).toContain('--audit-policy-file=/run/lateen/pki/audit-policy.json');
    expect(argv).toContain('--audit-log-path=/var/log/kube-apiserver-audit/audit.log');
    const { rules } = JSON.parse(auditPolicy());
    expect(new Set(rules.map(({ level }: { level: string }) => level))).toEqual(new Set(['None', 'Metadata']));
    expect(configuration).toContain(auditPolicy());
  });

  it('has no kubelet options without kubelets', () => {
    const options = {
      bindAddress: '127.0.0.1',
      port: 1,
      etcdUrl: 'http://e',
      pkiDir: '/p',
      serviceSubnet: '10.96.0.0/16',
    };
    expect(apiServerArgs({ ...options, kubelets: false }).join(' ')).not.toMatch(/kubelet|NodeRestriction/);
  });

  it('starts etcd on loopback and without fsync', () => {
    expect(etcdProgram.argv).toContain('--unsafe-no-fsync');
    expect(etcdProgram.argv.filter((argument) => /-urls?=/.test(argument))).toHaveLength(4);
    expect(etcdProgram.argv.filter((argument) => /-urls?=/.test(argument) && !argument.includes('127.0.0.1'))).toEqual(
      [],
    );
  });

  it('uses no leader election', () => {
    for (const { argv } of [controllerManagerProgram, schedulerProgram]) expect(argv).toContain('--leader-elect=false');
  });

  it('passes the S3 keys in the environment, never on the command line', () => {
    const program = s3Program({ accessKey: 'ACCESS', secretKey: 'hidden' });
    expect(program.argv.join(' ')).not.toMatch(/ACCESS|hidden/);
    expect(program.env).toEqual({ ROOT_ACCESS_KEY: 'ACCESS', ROOT_SECRET_KEY: 'hidden' });
  });
});
