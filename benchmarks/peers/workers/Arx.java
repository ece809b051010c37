// One release by ARX: java -cp ARX.jar Arx.java SMALL DATA OUT K SUPPRESS COLUMN=HIERARCHY...
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

public class Arx {
    static ARXResult make(String path, String[] args) throws Exception {
        Data data = Data.create(path, StandardCharsets.UTF_8, ';');
        for (int i = 0; i < data.getHandle().getNumColumns(); i++) {
            data.getDefinition().setAttributeType(data.getHandle().getAttributeName(i), AttributeType.INSENSITIVE_ATTRIBUTE);
        }
        for (int i = 5; i < args.length; i++) {
            String[] named = args[i].split("=", 2);
            data.getDefinition().setAttributeType(named[0], AttributeType.Hierarchy.create(named[1], StandardCharsets.UTF_8, ';'));
        }
        ARXConfiguration asked = ARXConfiguration.create();
        asked.addPrivacyModel(new KAnonymity(Integer.parseInt(args[3])));
        asked.setSuppressionLimit(Double.parseDouble(args[4]));
        asked.setQualityModel(Metric.createLossMetric());
        return new ARXAnonymizer().anonymize(data, asked);
    }

    static long peak() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
        return 0;
    }

    public static void main(String[] args) throws Exception {
        OperatingSystemMXBean clock = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        make(args[0], args);
        long start = clock.getProcessCpuTime();
        ARXResult found = make(args[1], args);
        long took = clock.getProcessCpuTime() - start;
        // A record that ARX leaves out stays as a row of stars: `racing.read` drops it.
        found.getOutput(false).save(args[2], ';');
        System.out.println("{\"cpu\": " + took / 1e9 + ", \"peak\": " + peak() / 1024.0 + "}");
    }
}
