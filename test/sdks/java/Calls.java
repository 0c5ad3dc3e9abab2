import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.Phaser;

/** Reads what an SDK is to do from the standard input: see SdkProcess. */
final class Calls {
  private Calls() {}

  /** One call of an SDK, in the words that all of them share. */
  static final class Call {
    String type;
    String timestamp;
    String userId;
    String anonymousId;
    String previousId;
    String groupId;
    String event;
    String name;
    String category;
    Map<String, Object> traits;
    Map<String, Object> properties;
    Map<String, Object> context;

    Date time() {
      return Date.from(java.time.Instant.parse(timestamp));
    }
  }

  /** A client of an SDK. */
  interface Sender {
    /** Arrives at `Calls.pending` once the call was sent or given up. */
    void send(Call call);

    void flush();
  }

  /** The calls that were made, and are neither sent nor given up. */
  static final Phaser pending = new Phaser(1);

  static void run(Sender sender) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      for (Call call : new Gson().fromJson(line, Call[].class)) {
        pending.register();
        try {
          sender.send(call);
        } catch (RuntimeException error) {
          error.printStackTrace();
          pending.arriveAndDeregister();
        }
      }
      sender.flush();
      pending.arriveAndAwaitAdvance();
      System.out.println("@done");
    }
  }
}
