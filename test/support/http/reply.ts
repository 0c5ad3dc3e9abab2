import type { Problem } from '../../../services/messages/message.ts';

/** The members that bodies of the service have. Which are there depends on the answer: tests say what they expect. */
export interface ReplyBody {
  readonly success: boolean | number;
  readonly message: string;
  readonly message_id: string;
  readonly message_ids: readonly string[];
  readonly receipt: string;
  readonly rejected: readonly { readonly index: number; readonly errors: readonly Problem[] }[];
  readonly adjusted?: readonly Problem[];
  readonly result: {
    readonly user_id: string;
    readonly session_id: string;
    readonly receipt: string;
    readonly insertedEvent: { readonly insertedId: string };
  };
  readonly type: string;
  readonly ignored?: readonly string[];
  readonly code: string;
  readonly status: number;
  readonly errors: readonly Problem[];
  readonly name: string;
  readonly ready: boolean;
  readonly links: Readonly<Record<string, string>>;
}
