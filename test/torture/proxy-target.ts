import type { KafkaProxy } from '../faults/kafka/kafka-proxy.ts';
import type { TcpProxy } from '../faults/tcp-proxy.ts';
import type { Target } from './scene.ts';

/** The way to something: cut, blocked, slow. */
export function connectionTarget(name: string, proxy: TcpProxy): Target {
  return {
    name,
    kinds: ['cut', 'away', 'slow', 'freeze'],
    begin: (kind, amount) => {
      if (kind === 'cut') proxy.cut();
      if (kind === 'away') proxy.goAway();
      if (kind === 'slow') proxy.delayMs = amount;
      if (kind === 'freeze') proxy.freeze();
    },
    end: (kind) => {
      if (kind === 'away') proxy.comeBack();
      if (kind === 'slow') proxy.delayMs = 0;
      if (kind === 'freeze') proxy.thaw();
    },
  };
}

/** The way to a broker, on which single requests can be hit too. */
export function brokerConnectionTarget(name: string, proxy: KafkaProxy): Target {
  return {
    name,
    kinds: ['cut', 'away', 'slow', 'freeze', 'lose answers'],
    begin: (kind, amount) => {
      if (kind === 'cut') proxy.cut();
      if (kind === 'away') proxy.refuse();
      if (kind === 'slow') proxy.responseDelayMs = amount;
      if (kind === 'freeze') proxy.freeze();
      if (kind === 'lose answers') proxy.onProduce = () => 'lose response';
    },
    end: async (kind) => {
      if (kind === 'away') await proxy.accept();
      if (kind === 'slow') proxy.responseDelayMs = 0;
      if (kind === 'freeze') proxy.thaw();
      if (kind === 'lose answers') proxy.onProduce = () => 'pass';
    },
  };
}
